import { formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';

/**
 * Lints the loyalty service's contract by the rules in redocly.yaml: with Redocly's linter, which the type
 * generator brings along, instead of its command line.
 * See docs/decisions/0003-one-contract-and-a-setting-for-each-gap.md.
 */
const config = await loadConfig({ configPath: 'redocly.yaml' });
const problems = await lint({ ref: 'shared/loyalty/openapi.yaml', config });
const totals = getTotals(problems);
formatProblems(problems, { format: 'stylish', totals, version: '' });
if (totals.errors + totals.warnings > 0) process.exitCode = 1;
