import { describe, expect, it } from 'vitest';
import older from '../../fixtures/v0.1.0/logical-ids.json' with { type: 'json' };
import golden from '../../fixtures/v0.2.0/logical-ids.json' with { type: 'json' };
import { GONE, LEAST, PINNED_STACKS, pinnedResources } from '../../support/pinned-stacks.ts';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

const deployed = Object.entries({ '0.1.0': older, '0.2.0': golden }).flatMap(([version, file]) =>
  Object.entries(file.stacks).map(([name, stack]) => ({ version, name, ...stack })),
);

describe('a stack that an earlier version deployed', () => {
  it.each(deployed)(
    'keeps its resources, addresses and outputs: $version, $name',
    ({ name, resources, outputs }) => {
      const template = synthesizeStack(PINNED_STACKS[name]).toJSON();
      const kept = Object.entries(resources).filter(([id]) => !GONE.has(id));
      expect(pinnedResources(template.Resources)).toMatchObject(Object.fromEntries(kept));
      const addresses = outputs.filter((output) => !GONE.has(output));
      expect(Object.keys(template.Outputs)).toEqual(expect.arrayContaining(addresses));
    },
  );

  it('keeps its table and queues: another key or kind of queue would replace them', () => {
    const template = synthesizeStack(LEAST);
    expect(propertiesOf(template, 'AWS::DynamoDB::Table')).toMatchObject([
      {
        KeySchema: [{ AttributeName: 'entity', KeyType: 'HASH' }],
        // One more than in 0.2.0: CloudFormation adds one index per update.
        GlobalSecondaryIndexes: [
          {
            IndexName: 'codes-of-discount',
            KeySchema: [{ AttributeName: 'd', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['c'] },
          },
          { IndexName: 'letters' },
        ],
        TimeToLiveSpecification: { AttributeName: 'expiresAt' },
      },
    ]);
    for (const queue of propertiesOf(template, 'AWS::SQS::Queue')) {
      expect(queue).toMatchObject({ FifoQueue: true });
      expect(queue.QueueName).toBeUndefined();
    }
  });
});
