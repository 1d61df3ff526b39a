"""What tests share: harnesses, builders of programs, programs that several tests run."""
