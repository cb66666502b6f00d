import { expect, it } from 'vitest';
import { placeOrder, useOperatedConnector } from '../support/operated-connector.ts';
import { filesOfWalk, filesRunBy, filesRunByCommand } from '../support/walked-files.ts';

const operated = useOperatedConnector();

it('names every file that runs beside those of an order that is accepted, and of any command, and no other', async () => {
  const { loyalty, folder } = operated;
  const work = () => filesRunBy(() => operated.work());
  for (const _ of ['loads what it needs', 'counts']) {
    await placeOrder(operated);
    await operated.work();
  }
  await placeOrder(operated);
  const others = new Set([...filesOfWalk('One webhook'), ...(await work())]);
  for (const line of ['history', 'reconcile status', 'pause --queue coupons --yes']) {
    for (const file of await filesRunByCommand(line, folder)) others.add(file);
  }

  loyalty.faults.add({ operation: 'sendOrder', kind: 'business-error', code: 30 });
  const order = await placeOrder(operated);
  const ran = new Set(await work());
  loyalty.faults.clear();
  for (const line of ['list', `show ${order}`, 'replay --yes']) {
    for (const file of await filesRunByCommand(`dead-letters ${line}`, folder)) ran.add(file);
  }
  const own = [...ran].filter((file) => !others.has(file));
  expect(own.toSorted()).toEqual(filesOfWalk('One dead letter').toSorted());
});
