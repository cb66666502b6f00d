import { readFileSync, writeFileSync } from 'node:fs';
import connector from '../../connector.config.ts';
import { costTable, putTable } from './cost/cost-table.ts';

// After `cdk synth`. What docs/cost.md says then fits the settings at hand.
const template = JSON.parse(readFileSync('cdk.out/loyalty-connector-prod.template.json', 'utf8'));
const document = readFileSync('docs/cost.md', 'utf8');
writeFileSync('docs/cost.md', putTable(document, costTable(template, connector)));
