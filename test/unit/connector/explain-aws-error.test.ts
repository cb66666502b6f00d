import { expect, it } from 'vitest';
import { explainAwsError } from '../../../scripts/connector/deployment/explain-aws-error.ts';
import { AwsUnanswered } from '../../../shared/aws/aws-client.ts';

it('explains that AWS did not answer, however the request was sent', () => {
  const error = new AwsUnanswered({
    ...{ kind: 'failure', reason: 'time-out', phase: 'waiting' },
    ...{ mayHaveHappened: true, tries: 1 },
  });
  expect(explainAwsError(error, {})?.message).toContain('AWS does not answer from here');
});
