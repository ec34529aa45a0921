"""How items are shown: a folder for each task's view, its templates beside it."""
