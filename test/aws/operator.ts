import { CloudFormation } from '@aws-sdk/client-cloudformation';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { inOrder } from '../../local/store-sandbox/delivery/disorder.ts';
import { refundOne, type Scene, say, sell, sellInVain, settled } from './check.ts';
import { judgeCalls } from './judge.ts';

/** From the earlier release to this one, while a pause holds orders that the earlier one has taken. */
export async function upgrade(scene: Scene): Promise<void> {
  say('a pause, an upgrade meanwhile, and the end of the pause');
  const { account, check } = scene;
  await account.run('pause --because upgrade --yes');
  const isSent = await sellInVain(scene, 2);
  check.expect('no order is sent in a pause', !isSent);
  await judgeCalls(scene);
  account.useThisRelease();
  await account.run('deploy --yes');
  await account.run('resume');
  await settled(scene, 'an upgrade');
}

/** Webhooks are lost; then other settings are deployed during an outage. Reconcile finds by its schedule what was lost. */
export async function changeSettings(scene: Scene): Promise<void> {
  say('other settings during an outage, and reconcile by its schedule');
  const { account, check } = scene;
  const { store, loyalty, recorder } = account;
  // It leaves what is younger to its webhooks.
  const agoSeconds = 20 * 60;
  store.advanceClock(-agoSeconds);
  store.disorder = { ...inOrder, drop: 1 };
  const lost = sell(account);
  store.actions.createDiscount({ title: 'Unseen', percentage: 5, codes: ['UNSEEN'] });
  store.disorder = inOrder;
  store.advanceClock(agoSeconds);
  const end = account.cutOff();
  await sellInVain(scene, 2);
  await judgeCalls(scene);
  account.useThisRelease({ loyalty: { callsPerSecond: 50 }, events: {} });
  await account.run('deploy --yes', 0, { env: { CHECK_AWS_SCHEDULE: 'rate(1 minute)' } });
  end();
  await account.run('retry-now');
  await settled(scene, 'other settings');
  const isThere = () => {
    const { orders, coupons } = loyalty.state();
    const hasCode = coupons.some(({ CouponCode }) => CouponCode === 'UNSEEN');
    return hasCode && orders.some(({ OriginalId }) => OriginalId === lost);
  };
  await check.until('reconcile heals what was lost', isThere);
  const isAnnounced = () => recorder.calls.some(({ action }) => action === 'events:PutEvents');
  await check.until('changes are announced', isAnnounced);
}

/** All items of the ledger are deleted. */
export async function loseLedger(scene: Scene): Promise<void> {
  say('the ledger is lost, and recovered');
  const { account } = scene;
  const refunded = sell(account);
  await settled(scene, 'an order');
  const { LedgerTable: TableName } = await account.outputs();
  const dynamoDb = new DynamoDB(account.client);
  const { Items = [] } = await dynamoDb.scan({ TableName });
  for (const { entity = { S: '' } } of Items) {
    await dynamoDb.deleteItem({ TableName, Key: { entity } });
  }
  dynamoDb.destroy();
  refundOne(account, refunded);
  // A busy machine may still have messages on the way when it ends.
  await account.run('recover --yes', [0, 3]);
  await settled(scene, 'a lost ledger');
}

/** What docs/deploy.md says of it: functions go, and data stays. */
export async function deleteStack({ account, check }: Scene): Promise<void> {
  say('the stack is deleted');
  const { client } = account;
  const outputs = await account.outputs();
  const stack = { StackName: account.stack };
  const cloudFormation = new CloudFormation(client);
  await cloudFormation.updateTerminationProtection({
    ...stack,
    EnableTerminationProtection: false,
  });
  await cloudFormation.deleteStack(stack);
  const isGone = () =>
    cloudFormation.describeStacks(stack).then(
      ({ Stacks: [found] = [] }) => found?.StackStatus === 'DELETE_COMPLETE',
      () => true,
    );
  await check.until('the stack is gone', isGone);
  const { Functions: functions } = await new LambdaClient(client).send(
    new ListFunctionsCommand({}),
  );
  check.expect('no function is left', functions?.length === 0);
  const { LedgerTable: TableName } = outputs;
  const { Count: items = 0 } = await new DynamoDB(client).scan({ TableName, Select: 'COUNT' });
  check.expect('the ledger stays', items > 0);
  const kept = Object.entries(outputs).filter(([name]) => name.endsWith('QueueUrl'));
  for (const [name, QueueUrl] of kept) {
    const found = await account.sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] });
    check.expect(`${name} stays`, found.Attributes !== undefined);
  }
  check.expect('logs stay', (await account.readLogs()).length > 0);
}
