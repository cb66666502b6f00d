import { describe, expect, it } from 'vitest';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

const without = synthesizeStack();
const template = synthesizeStack({ events: { bus: 'tools' } });

describe('events for other tools', () => {
  it('are a function of their own, so that without them no function has a permission or a line more', () => {
    expect(JSON.stringify(without.toJSON())).not.toContain('events:PutEvents');
    const before = new Set(Object.keys(without.toJSON().Resources));
    const added = Object.entries<{ readonly Type: string }>(template.toJSON().Resources).filter(
      ([id]) => !before.has(id),
    );
    expect(added.map(([, { Type }]) => Type).toSorted()).toEqual([
      ...['AWS::CloudWatch::Alarm', 'AWS::Events::Rule', 'AWS::IAM::Policy', 'AWS::IAM::Role'],
      ...['AWS::Lambda::EventInvokeConfig', 'AWS::Lambda::Function', 'AWS::Lambda::Permission'],
      'AWS::Logs::LogGroup',
    ]);
  });

  it('go to the bus of the settings alone', () => {
    const [announce] = propertiesOf(template, 'AWS::Lambda::Function').filter(
      ({ Environment }) => Environment.Variables.EVENT_BUS,
    );
    expect(announce?.Environment.Variables.EVENT_BUS).toBe('tools');
    const grants = propertiesOf(template, 'AWS::IAM::Policy').flatMap(({ PolicyDocument }) =>
      PolicyDocument.Statement.filter(({ Action }: { Action: unknown }) =>
        [Action].flat().includes('events:PutEvents'),
      ),
    );
    expect(grants).toHaveLength(1);
    expect(JSON.stringify(grants[0].Resource)).toMatch(/:event-bus\/tools"/);
  });
});
