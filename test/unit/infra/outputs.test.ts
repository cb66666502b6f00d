import { describe, expect, it } from 'vitest';
import { STACK_OUTPUTS } from '../../../shared/config/stack-outputs.ts';
import { synthesizeStack } from '../../support/synthesized-stack.ts';

const { Outputs: outputs } = synthesizeStack({}, 'dev').toJSON();

describe('the outputs', () => {
  it('are those that the command line looks for, each with a word about it', () => {
    expect(Object.keys(outputs).toSorted()).toEqual([...STACK_OUTPUTS].toSorted());
    for (const output of Object.values<{ Description: string }>(outputs)) {
      expect(output.Description).toMatch(/\w/);
    }
  });

  it('belong to one stage', () => {
    expect(outputs.SecretsPrefix.Value).toBe('loyalty-connector/dev');
    expect(outputs.MetricsNamespace.Value).toBe('LoyaltyConnector/dev');
  });

  it('end in the command that comes next, complete with stack and region', () => {
    const text = JSON.stringify(outputs.NextCommand.Value);
    expect(text).toContain('npx loyalty-connector setup --stack loyalty-connector-dev --region ');
    expect(text).toContain('AWS::Region');
  });
});
