"""What people see of a page, in a browser."""
