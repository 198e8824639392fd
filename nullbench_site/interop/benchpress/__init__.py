"""Import of BenchPress (github.com/markstent/BenchPress): its prompts, answers, verdicts and G-Eval scores."""
