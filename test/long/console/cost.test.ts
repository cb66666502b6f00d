import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { countRequests } from '../../../scripts/connector/console/count-requests.ts';
import { type ConsoleEvent, runCommand } from '../../../scripts/connector/console/run-command.ts';
import { openConsole } from '../../../scripts/connector/console/run-console.ts';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import {
  awsSettings,
  type Deployment,
  outputsOf,
} from '../../../scripts/connector/deployment/deployment.ts';
import { VERSION } from '../../../shared/config/release.ts';
import settings from '../../fixtures/project/connector.config.ts';
import type { ScriptedService } from '../../support/aws-gateway.ts';
import { findBrowser, startBrowser } from '../../support/browser.ts';
import { useOperatedConnector } from '../../support/operated-connector.ts';

const executable = findBrowser();

const cloudWatch: ScriptedService = (_, response) => {
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  response.end('{"MetricDataResults":[]}');
};
const connector = useOperatedConnector({ services: { monitoring: cloudWatch } });

function deploymentOnAws(): Deployment {
  const region = 'us-east-1';
  const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' };
  const { endpoint } = connector.gateway;
  return {
    ...{ where: 'aws', stage: 'prod', stack: 'loyalty-connector-prod', region, version: VERSION },
    aws: awsSettings({ region, endpoint, credentials, profile: 'of operators' }),
    output: outputsOf({ ...connector.outputs }, 'The stack of this test', 'It must have it.'),
    connector: settings,
  };
}

const ASKED_PER_HOUR = 60;

describe('the page "Now", left open on AWS', () => {
  it('costs what the docs say, by the requests of one answer', async () => {
    const deployment = deploymentOnAws();
    const { aws, counted } = countRequests(deployment.aws);
    const events: ConsoleEvent[] = [];
    await runCommand(
      { command: 'status', operands: [], options: { json: true, charts: true } },
      {
        ...{ createProgram, readOnly: true, signal: new AbortController().signal },
        deployment: { ...deployment, aws },
        send: (event) => void events.push(event),
      },
    );
    expect(events.map(({ kind }) => kind)).toContain('document');
    const { byOperation, dollars } = counted();
    expect(byOperation).toMatchObject({
      // The last hour, the last day, and the ages of the queues.
      'monitoring GetMetricData': 3,
      'sqs GetQueueAttributes': 6,
    });
    const perHour = dollars * ASKED_PER_HOUR;
    const docs = readFileSync('docs/console.md', 'utf8');
    expect(docs).toContain(`**$${perHour.toFixed(2)} an hour**`);
    expect(docs).toContain(`$${(perHour * 24).toFixed(2)} for a whole`);
  }, 120_000);

  it.runIf(executable)(
    'says on the page what it costs, and how to do the same in a terminal',
    async () => {
      const running = await openConsole(
        deploymentOnAws(),
        { createProgram, readOnly: true },
        (fault) => {
          throw new Error(fault);
        },
      );
      const browser = await startBrowser(executable ?? '');
      const page = await browser.newPage({ locale: 'en-GB' });
      page.setDefaultTimeout(90_000);
      await page.goto(`${running.address}#/now`);
      await page
        .getByText(
          'Asked again every 60 seconds while this page is visible. On AWS that costs about $0.015 an hour, or $0.37 for a whole day.',
        )
        .waitFor();
      expect(await page.locator('footer').textContent()).toMatch(/\b19\b.*\$0\.00025/);
      // Not "a minute ago": such words would stay on a page that is not asked again.
      await page.getByText(/^as of .*\d\d:\d\d:\d\d$/).waitFor();
      await page.getByText('The same in a terminal').click();
      await page
        .getByText(
          "npx loyalty-connector status --charts --stack loyalty-connector-prod --region us-east-1 --profile 'of operators'",
        )
        .waitFor();
      await browser.close();
      await running.stop();
    },
    240_000,
  );
});
