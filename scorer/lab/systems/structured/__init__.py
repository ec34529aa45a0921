"""The structured model of ExplaGraphs (RE-SP): concepts, a score a pair of them, one best graph."""
