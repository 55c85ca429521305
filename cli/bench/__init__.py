"""`specchat bench`: its options, the measuring, and its result as text, JSON and pictures."""
