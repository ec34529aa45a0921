"""Reading what strangers wrote: bytes in, values with their places and every problem out."""
