import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { FunctionDescription } from '../../local/stack/template/describe-resources.ts';
import type { VendureEngine } from '../../local/vendure-engine/engine.ts';
import type { LocalStack } from '../support/local-stack.ts';
import { type Customers, compareWithTables } from './oracle.ts';

export type Say = (text: string) => void;

const PATIENCE_MS = 300_000;

/** What a part of the check found, and how it looks. */
export class Check {
  readonly faults: string[] = [];
  readonly say: Say;
  readonly #engine: VendureEngine;

  constructor(engine: VendureEngine, say: Say) {
    this.#engine = engine;
    this.say = say;
  }

  expect(what: string, isTrue: boolean): void {
    if (!isTrue) this.fail(`not so: ${what}`);
  }

  fail(fault: string): void {
    this.say(`  ${fault}`);
    this.faults.push(fault);
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!isSo()) {
      if (Date.now() > end) throw new Error(`still not: ${what}\n${this.#engine.log}`);
      await sleep(50);
    }
  }

  differences(stack: LocalStack): readonly string[] {
    return compareWithTables(this.#engine, stack.loyalty).differences;
  }

  /**
   * Everything is sent and worked on; then nothing may differ. It looks again before it says so: the engine writes its
   * file after its answer, so that the last change may come between the two.
   */
  async compare(stack: LocalStack, after: string, customers: Customers = 'all'): Promise<void> {
    const look = async () => {
      await this.until('the plugin has sent everything', () => this.#engine.unsent() === 0);
      await stack.settled();
      return compareWithTables(this.#engine, stack.loyalty, customers);
    };
    let { differences, compared } = await look();
    for (let more = 0; more < 3 && differences.length > 0; more += 1) {
      await sleep(1_000);
      ({ differences, compared } = await look());
    }
    const problems = differences.length === 0 ? 'same' : `${differences.length} DIFFER`;
    this.say(`${after}: ${compared.order} orders, ${problems}`);
    for (const one of differences) this.fail(one);
  }

  /** At the end: no message is left in a queue that no function reads, and no function was denied anything. */
  async expectSound({ description, sqs, problems }: LocalStack): Promise<void> {
    const read = new Set(description.eventSources.map(({ queueArn }) => queueArn));
    let parked = 0;
    for (const { url } of description.queues.filter(({ arn }) => !read.has(arn))) {
      const asked = { QueueUrl: url, AttributeNames: ['ApproximateNumberOfMessages' as const] };
      const { Attributes } = await sqs.send(new GetQueueAttributesCommand(asked));
      parked += Number(Attributes?.ApproximateNumberOfMessages);
    }
    this.expect(`no message was parked: ${parked}`, parked === 0);
    this.expect(`nothing was refused: ${problems}`, problems.length === 0);
  }
}

const CLOCK_AHEAD = pathToFileURL(`${import.meta.dirname}/clock-ahead.ts`).href;

/** A run of reconcile leaves the changes of the last minutes to their events: here it comes later. */
export function withClockAhead(
  { handler, name }: FunctionDescription,
  environment: Readonly<Record<string, string>>,
) {
  const isReconcile = /reconcile/i.test(`${handler} ${name}`);
  return { ...environment, ...(isReconcile && { NODE_OPTIONS: `--import ${CLOCK_AHEAD}` }) };
}

export const person = (name: string, phoneNumber?: string) => ({
  emailAddress: `${name}@example.com`,
  firstName: name,
  lastName: 'Example',
  ...(phoneNumber && { phoneNumber }),
});
