import { addressProblem, type SubscriptionRow } from '../delivery/subscriptions.ts';
import { denyBulkQuery } from './access.ts';
import { createCodeDiscount, type DiscountInput } from './discount-mutation.ts';
import type { GraphContext, View } from './graph-context.ts';
import { metafieldMutations } from './metafield-mutations.ts';
import { subscriptionView, topicName } from './subscription-view.ts';

interface SubscriptionInput {
  readonly uri?: string;
  readonly callbackUrl?: string;
  readonly includeFields?: readonly string[];
  readonly metafieldNamespaces?: readonly string[];
  readonly filter?: string | null;
}

const numberOf = (globalId: string): string => globalId.split('/').at(-1) ?? '';

/** The fields of Mutation that the sandbox has. */
export function mutationRoot(context: GraphContext): View {
  const { subscriptions, world, bulk, perform } = context;
  const failed = (name: string, field: readonly string[], message: string, code?: string) => ({
    [name]: null,
    userErrors: [{ field, message, ...(code && { code }) }],
  });

  return {
    webhookSubscriptionCreate: (args: {
      topic: string;
      webhookSubscription: SubscriptionInput;
    }) => {
      const { topic, webhookSubscription: input } = args;
      const uri = input.uri ?? input.callbackUrl ?? '';
      const name = topicName(topic);
      const taken = subscriptions.all().some((one) => one.topic === name && one.uri === uri);
      const problem = taken ? 'Address for this topic has already been taken' : addressProblem(uri);
      const field = ['webhookSubscription', 'callbackUrl'];
      if (problem !== undefined) return failed('webhookSubscription', field, problem);
      const row: SubscriptionRow = {
        id: world.ids.next('WebhookSubscription'),
        topic: name,
        uri,
        madeBy: 'admin-api',
        includeFields: input.includeFields ?? [],
        metafieldNamespaces: input.metafieldNamespaces ?? [],
        filter: input.filter ?? null,
      };
      subscriptions.put(row);
      return { webhookSubscription: subscriptionView(row), userErrors: [] };
    },
    webhookSubscriptionUpdate: (args: { id: string; webhookSubscription: SubscriptionInput }) => {
      const row = subscriptions.get(numberOf(args.id));
      if (row?.madeBy !== 'admin-api') {
        return failed('webhookSubscription', ['id'], 'Webhook subscription does not exist');
      }
      const { uri, callbackUrl, ...fields } = args.webhookSubscription;
      const wanted = uri ?? callbackUrl ?? row.uri;
      const problem = addressProblem(wanted);
      const field = ['webhookSubscription', 'callbackUrl'];
      if (problem !== undefined) return failed('webhookSubscription', field, problem);
      const updated = { ...row, ...fields, uri: wanted };
      subscriptions.put(updated);
      return { webhookSubscription: subscriptionView(updated), userErrors: [] };
    },
    webhookSubscriptionDelete: ({ id }: { id: string }) => {
      const row = subscriptions.get(numberOf(id));
      if (row?.madeBy !== 'admin-api') {
        return failed(
          'deletedWebhookSubscriptionId',
          ['id'],
          'Webhook subscription does not exist',
        );
      }
      subscriptions.delete(row.id);
      return { deletedWebhookSubscriptionId: id, userErrors: [] };
    },
    ...metafieldMutations(context),
    discountCodeBasicCreate: ({ basicCodeDiscount }: { basicCodeDiscount: DiscountInput }) =>
      createCodeDiscount(context, 'basic', basicCodeDiscount),
    discountCodeFreeShippingCreate: (args: { freeShippingCodeDiscount: DiscountInput }) =>
      createCodeDiscount(context, 'free-shipping', args.freeShippingCodeDiscount),
    discountCodeDelete: ({ id }: { id: string }) => {
      const gone = perform('deleteDiscount', { discountId: numberOf(id) });
      return gone.kind === 'done'
        ? { deletedCodeDiscountId: id, userErrors: [] }
        : failed('deletedCodeDiscountId', ['id'], 'Code discount does not exist.', 'INVALID');
    },
    bulkOperationRunQuery: (args: { query: string; groupObjects: boolean }) => {
      if (context.app.bulkQueries === 'denied') throw denyBulkQuery();
      const started = bulk.start(args.query, args.groupObjects);
      return started.kind === 'started'
        ? { bulkOperation: started.operation, userErrors: [] }
        : failed('bulkOperation', ['query'], started.why, started.code);
    },
    bulkOperationCancel: ({ id }: { id: string }) => {
      const operation = bulk.cancel(id);
      return operation
        ? { bulkOperation: operation, userErrors: [] }
        : failed('bulkOperation', ['id'], 'Bulk operation does not exist');
    },
  };
}
