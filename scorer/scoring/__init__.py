"""From predictions and gold to results: checking, the one loop over items, its summaries.

On its way to a results file a prediction passes eight rooms, and ``board`` says which of what:

1. ``reading``: bytes become rows with their places.
2. ``tasks``: a row becomes the task's Prediction; the task says what it breaks.
3. ``graph``: a graph is read once, for the rules and for every metric.
4. ``scoring``: ``checking`` finds faults; ``evaluate`` takes its findings and goes over the items.
5. ``metrics``: plain values become scores of items.
6. ``models``: encoders and judges, for the metrics that ask one.
7. ``statistics``: intervals, and tests against the null, for ``summary``.
8. ``results``: the codec that writes and reads the JSON file.
"""
