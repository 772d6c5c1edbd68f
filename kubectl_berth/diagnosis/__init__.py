"""What is wrong with these objects: pure checks that yield findings."""
