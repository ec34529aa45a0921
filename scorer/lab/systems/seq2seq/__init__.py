"""Systems that write a graph as a string: a sequence-to-sequence model, and a label model."""
