import { expect, it } from 'vitest';
import { readSuggestion } from '../../../scripts/connector/console/page/suggestion.ts';
import { nextCommand } from '../../../scripts/connector/deployment/deployment.ts';

const FLAGS = ['yes', 'wait'];
const deployed = {
  where: 'aws',
  stack: 'loyalty-connector-prod',
  region: 'eu-west-1',
  aws: { region: 'eu-west-1', profile: 'shop' },
} as Parameters<typeof nextCommand>[0];

it.each([
  [
    'dead-letters replay --code INVALID_EMAIL --wait --yes',
    { command: 'dead-letters replay', options: { code: 'INVALID_EMAIL', wait: true, yes: true } },
  ],
  ['status', { command: 'status' }],
  ['compare order 7', { command: 'compare', operands: ['order', '7'] }],
  [
    "dead-letters replay --reason=rejected --id='a b'",
    { options: { reason: 'rejected', id: 'a b' } },
  ],
])('reads %s', (text, line) => {
  expect(readSuggestion(text, FLAGS)).toMatchObject(line);
});

it('reads what the command line writes, without the place, which the console knows', () => {
  const text = nextCommand(deployed, 'trace coupon', "--it's a code");
  expect(readSuggestion(text, FLAGS)).toEqual({
    command: 'trace',
    operands: ['coupon', "--it's a code"],
    options: {},
  });
});

it.each(['', 'Wait a minute.', 'rm -rf /', 'npx other-tool status', 'constructor'])(
  'takes %j for no command',
  (text) => {
    expect(readSuggestion(text, FLAGS)).toBeUndefined();
  },
);
