"""What every model needs: where its files are, what it runs on, batches, what it has said."""
