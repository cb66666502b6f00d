import type { WrittenTemplate } from './template.ts';

/** A bug in the template that the check must find. */
export const PLANTED = {
  'missing permission': 'the worker of orders may not write the entry of an order',
  'wrong queue': 'the receiver puts orders on the queue of products',
  'whole batches':
    'Lambda takes a batch for done although the worker of orders reports failed items',
} as const;

export type PlantedBug = keyof typeof PLANTED;

export function plant({ Resources: resources }: WrittenTemplate, bug: PlantedBug): void {
  const all = Object.entries(resources);
  const found = (type: string, id: RegExp) => {
    const [, one] = all.find(([name, { Type }]) => Type === type && id.test(name)) ?? [];
    if (!one) throw new Error(`the template has no ${type} named ${id}`);
    return one.Properties;
  };
  switch (bug) {
    case 'missing permission': {
      const { PolicyDocument: document } = found('AWS::IAM::Policy', /^SyncOrders/);
      document.Statement = document.Statement.filter(
        ({ Action }: { readonly Action: unknown }) => `${Action}` !== 'dynamodb:PutItem',
      );
      return;
    }
    case 'wrong queue': {
      const { Variables: own } = found('AWS::Lambda::Function', /^ReceiveWebhook/).Environment;
      own.ORDERS_QUEUE_URL = own.PRODUCTS_QUEUE_URL;
      return;
    }
    case 'whole batches': {
      delete found('AWS::Lambda::EventSourceMapping', /^SyncOrders/).FunctionResponseTypes;
      return;
    }
  }
}
