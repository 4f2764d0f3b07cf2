"""What tools/make_pictures draws: one function for each picture of docs/pictures."""
