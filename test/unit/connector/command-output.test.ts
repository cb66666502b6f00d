import { expect, it } from 'vitest';
import { withLineTexts } from '../../../scripts/connector/ground/terminal/line.ts';
import { errorJson } from '../../../scripts/connector/ground/terminal/text.ts';
import { SAMPLE } from '../../long/console/sample-document.ts';
import { faultsIn } from '../../support/command-output.ts';

const printed = (document: object) => JSON.parse(JSON.stringify(withLineTexts(document)));

it('has the published form, with every kind of block', () => {
  expect(faultsIn(printed(SAMPLE))).toEqual([]);
});

it.each([
  ['an unknown kind of block', { blocks: [{ kind: 'poem', text: 'of it' }] }],
  ['a table without rows', { blocks: [{ kind: 'table', columns: [] }] }],
  ['a command in parts', { next: [{ label: 'Look', line: { command: 'status' } }] }],
  ['a verdict of other words', { verdict: { kind: 'fine', what: 'All clear.' } }],
  ['no title', { title: undefined }],
])('has no other form: %s', (_, changes) => {
  expect(faultsIn(printed({ ...SAMPLE, ...changes }))).not.toEqual([]);
});

it('has the published form where the command failed', () => {
  expect(faultsIn(JSON.parse(errorJson('failed', 'No answer.', 'Repeat it.')))).toEqual([]);
  expect(faultsIn({ error: { code: 'other', message: '' } })).not.toEqual([]);
});
