"""What runs on GitHub: from a pull request to a published row. One verb: ``scorer ci``."""
