import { describe, expect, it } from 'vitest';
import { VERSION } from '../../../shared/config/release.ts';
import type { ScriptedService } from '../../support/aws-gateway.ts';
import { runCommand } from '../../support/connector-command.ts';
import { tellOf, useOperatedConnector } from '../../support/operated-connector.ts';

let stackFault:
  | { readonly status: number; readonly code: string; readonly message: string }
  | undefined;

/** What a deployment on AWS answers beyond what the emulators know. */
const cloudFormation: ScriptedService = (_, response) => {
  response.setHeader('content-type', 'text/xml');
  if (stackFault) {
    const { status, code, message } = stackFault;
    response.writeHead(status);
    response.end(
      `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
    );
    return;
  }
  // A queue's address is that of the service, which is the gateway here.
  const sqs = new URL(connector.outputs.OrdersQueueUrl).origin;
  const outputs = Object.entries(connector.outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value.replace(sqs, connector.gateway.endpoint)}</OutputValue></member>`,
  );
  response.end(
    `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>loyalty-connector-prod</StackName><StackStatus>UPDATE_COMPLETE</StackStatus><Outputs>${outputs.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  );
};

interface MetricQuery {
  readonly Id: string;
  readonly MetricStat: {
    readonly Metric: {
      readonly Namespace: string;
      readonly MetricName: string;
      readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
    };
    readonly Stat: string;
  };
}

/** Values by namespace, metric, dimensions and statistic; the newest first. */
const measured: Record<string, number[]> = {
  'LoyaltyConnector/prod received Sum': [3, 4],
  'LoyaltyConnector/prod applied Sum': [2, 3],
  'LoyaltyConnector/prod latency-ms p50': [900],
  'LoyaltyConnector/prod latency-ms p99': [2_400, 1_100],
  'AWS/SQS ApproximateAgeOfOldestMessage QueueName=connector-orders.fifo Maximum': [2_520, 60],
};

const cloudWatch: ScriptedService = (request, response) => {
  const { MetricDataQueries } = JSON.parse(request.text) as { MetricDataQueries: MetricQuery[] };
  const results = MetricDataQueries.map(({ Id, MetricStat: { Metric, Stat } }) => {
    const dimensions = (Metric.Dimensions ?? []).map(({ Name, Value }) => `${Name}=${Value}`);
    const name = [Metric.Namespace, Metric.MetricName, ...dimensions, Stat].join(' ');
    return { Id, Values: measured[name] ?? [] };
  });
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  response.end(JSON.stringify({ MetricDataResults: results }));
};

const lambda: ScriptedService = (_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 },
    }),
  );
};

const sns: ScriptedService = (_, response) => {
  response.setHeader('content-type', 'text/xml');
  const found =
    '<Endpoint>olivia@shop.example</Endpoint><SubscriptionArn>PendingConfirmation</SubscriptionArn>';
  response.end(
    `<ListSubscriptionsByTopicResponse><ListSubscriptionsByTopicResult><Subscriptions><member>${found}</member></Subscriptions></ListSubscriptionsByTopicResult></ListSubscriptionsByTopicResponse>`,
  );
};

/** As against an account of AWS: nothing is known but the stack's name and the region. */
async function runDeployed(line: string) {
  const run = await runCommand(
    [...line.split(' '), '--stack', 'loyalty-connector-prod', '--region', 'us-east-1'],
    {
      folder: connector.folder,
      env: {
        AWS_ENDPOINT_URL: connector.gateway.endpoint,
        AWS_ACCESS_KEY_ID: 'operator',
        AWS_SECRET_ACCESS_KEY: 'operator-secret',
      },
    },
  );
  expect(connector.confidential.disclosedIn([run.stdout, run.stderr])).toEqual([]);
  return run;
}

const connector = useOperatedConnector({
  services: { cloudformation: cloudFormation, monitoring: cloudWatch, lambda, sns },
});

describe('a deployment on AWS', () => {
  it('is shown with its figures out of CloudWatch, and an old message is trouble', async () => {
    await tellOf(connector, 'order', '5512345678901');
    const { code, stdout, stderr } = await runDeployed('status');
    expect(stderr).toBe('');
    expect(stdout).toContain(`loyalty-connector-prod ${VERSION} in us-east-1`);
    expect(stdout).toContain('orders: the oldest message has been waiting for 42 minutes');
    expect(stdout).toContain(
      'npx loyalty-connector doctor --stack loyalty-connector-prod --region us-east-1',
    );
    expect(stdout).toMatch(/^orders +1 +0 +0 +42 min$/m);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'End to end half within 0.9 s, 99 % within 2.4 s',
    );
    expect(stdout).toMatch(/^Last hour +7 events received, \d+ results: 5 applied/m);
    // The store of a deployment is Shopify: no machine of a test can ask it.
    expect(stdout).toMatch(/^warn {2}subscriptions +unknown: /m);
    expect(code).toBe(1);
  });

  it("is examined with the account's quota, and the settings of the example are reported", async () => {
    const { code, stdout } = await runDeployed('doctor --all');
    expect(stdout).toMatch(/warn {2}concurrency +deployed: .* the\s+quota\s+allows:/);
    expect(stdout).toMatch(/FAIL {2}settings +connector\.config\.ts: loyalty\.address is still/);
    expect(stdout).toMatch(/pass {2}stack +loyalty-connector-prod \d\S+ \(us-east-1\)/);
    expect(stdout).toMatch(/warn {2}alarms +olivia@shop\.example has not confirmed/);
    expect(code).toBe(1);
  });
});
