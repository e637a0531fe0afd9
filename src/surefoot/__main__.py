"""`python -m surefoot` is the console script."""

from surefoot.cli import main

if __name__ == "__main__":
    main()
