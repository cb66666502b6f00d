import { formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';

/**
 * Lints the loyalty service's contract and the description of the storefront's own requests by the rules in redocly.yaml: with Redocly's linter, which the type
 * generator brings along, instead of its command line.
 * See docs/decisions/0003-one-contract-and-a-setting-for-each-gap.md.
 */
const config = await loadConfig({ configPath: 'redocly.yaml' });
const files = ['shared/loyalty/openapi.yaml', 'docs/storefront-api.yaml'];
const problems = (await Promise.all(files.map((ref) => lint({ ref, config })))).flat();
const totals = getTotals(problems);
formatProblems(problems, { format: 'stylish', totals, version: '' });
if (totals.errors + totals.warnings > 0) process.exitCode = 1;
