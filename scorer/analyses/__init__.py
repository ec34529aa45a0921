"""What the numbers of explanation graphs are made of: records in, records out. Pure.

Reading order: ``kinds`` and ``facts`` (one graph), ``graph_statistics`` (many graphs: the paper's
Tables 3 and 9), ``dataset`` (Table 1 and Fig. 5), ``diff`` (edge by edge), ``refinement`` (the
rounds of train), ``levels`` and ``funnel`` (where a system's items stop), ``breakdown`` (Tables 7
and 8), ``agreement`` (systems against each other), ``null`` (a system against the graph that says
nothing).

Rows are one-based everywhere, so that each can be linked to its example. What is said about gold is
said about an item's first gold graph.
"""
