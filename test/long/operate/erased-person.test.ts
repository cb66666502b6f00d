import { afterEach, expect, it, vi } from 'vitest';
import { keepPerson, NOWHERE, personOf, placesOf } from '../../support/kept-person.ts';
import { useOperatedConnector } from '../../support/operated-connector.ts';

const operated = useOperatedConnector({
  hasStorefront: true,
  rules: { document: { from: 'note-attribute', name: 'document' }, pendingOrders: 'send' },
});
afterEach(() => {
  delete operated.breaks.faultOf;
});

const READS = /Get|Query|Scan|Describe|List|Receive|sts /;

/** What the command changes at AWS, call by call; from this call on, nothing is accepted: as of a process that died. */
function dieAt(call: number) {
  const calls: string[] = [];
  operated.breaks.faultOf = (operation) => {
    if (READS.test(operation)) return undefined;
    calls.push(operation);
    return calls.length >= call ? 'refused' : undefined;
  };
  return calls;
}

/** SQS shows again what a dead process has received. */
async function letGo(): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 300_000 });
  await operated.queues.deadLetters();
  vi.useRealTimers();
}

it('an erasure that dies before any of its calls is finished by its repetition', {
  timeout: 1_200_000,
}, async () => {
  const erase = async (number: number, call: number) => {
    const person = await keepPerson(operated, personOf(number), { waits: false });
    operated.store.actions.redactCustomer({ customerId: person.id });
    const line = `privacy erase ${person.id} --yes`;
    const calls = dieAt(call);
    await operated.atWork(operated.run(line));
    delete operated.breaks.faultOf;
    return { person, line, calls };
  };
  const whole = await erase(100, Number.POSITIVE_INFINITY);
  expect(await placesOf(operated, whole.person)).toEqual(NOWHERE);
  const many = whole.calls.length;
  expect(many).toBeGreaterThan(4);
  let held = 0;
  for (let call = 1; call <= many; call += 1) {
    const { person, line } = await erase(100 + call, call);
    const at = await operated.atWork(operated.run(line));
    const isHeld = at.stderr.includes('Repeat the command in five minutes.');
    held += Number(isHeld);
    if (isHeld) await letGo();
    const again = isHeld ? await operated.atWork(operated.run(line)) : at;
    const why = `${whole.calls[call - 1]}\n${again.stdout}${again.stderr}`;
    expect(await placesOf(operated, person), why).toEqual(NOWHERE);
    expect(again.code, why).toBe(0);
  }
  // Else no death left anything in the hands of nobody.
  expect(held).toBeGreaterThan(0);
});
