"""Systems of the papers that make things: data that are hard, predictions that are not gold's."""
