"""What an engine may ask of a cluster, and the toolbox that guards it."""
