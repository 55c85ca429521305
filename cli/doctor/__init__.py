"""`specchat doctor`: a file for each topic, from facts to rows; command.py finds the facts and report.py writes."""
