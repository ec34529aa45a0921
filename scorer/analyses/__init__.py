"""What is behind the numbers of a split: records in, records out. Pure.

Of explanation graphs, in reading order: ``kinds`` and ``facts`` (one graph), ``graph_statistics``
(many graphs: the paper's Tables 3 and 9), ``dataset`` (Table 1 and Fig. 5), ``diff`` (edge by
edge), ``refinement`` (the rounds of train), ``levels`` and ``funnel`` (where a system's items
stop), ``dimensions`` (Tables 7 and 8). Of ART: ``choices`` and ``stories``. Of any task:
``breakdown`` (a system on parts of a split), ``null`` (a system against an answer that says
nothing), ``spread``.

Rows are one-based everywhere, so that each can be linked to its example. What is said about gold
graphs is said about an item's first one.
"""
