"""What assistants see: parameters, schemas and envelopes of each tool contract over the domain."""
