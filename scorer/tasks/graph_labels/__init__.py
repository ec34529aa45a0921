"""Graph labels: texts and a graph in, a label out."""
