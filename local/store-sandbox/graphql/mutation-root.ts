import { addressProblem, type SubscriptionRow } from '../delivery/subscriptions.ts';
import { definitionKey } from '../model/metafields.ts';
import { denyAccess } from './access.ts';
import { discountNodeView, storeCreditView, subscriptionView, topicName } from './entity-views.ts';
import { findNode } from './find-node.ts';
import type { GraphContext, View } from './graph-context.ts';

/** The parts of DiscountCodeBasicInput and DiscountCodeFreeShippingInput that the sandbox supports. */
interface DiscountInput {
  readonly title?: string;
  readonly code?: string;
  readonly startsAt?: string;
  readonly endsAt?: string | null;
  readonly usageLimit?: number | null;
  readonly appliesOncePerCustomer?: boolean;
  readonly tags?: readonly string[];
  readonly context?: {
    readonly customers?: { readonly add?: readonly string[] };
    readonly customerSegments?: { readonly add?: readonly string[] };
  };
  readonly customerGets?: {
    readonly value?: {
      readonly percentage?: number;
      readonly discountAmount?: { readonly amount?: string; readonly appliesOnEachItem?: boolean };
    };
    readonly items?: { readonly products?: { readonly productsToAdd?: readonly string[] } };
  };
  readonly combinesWith?: {
    readonly orderDiscounts?: boolean;
    readonly productDiscounts?: boolean;
    readonly shippingDiscounts?: boolean;
  };
  readonly minimumRequirement?: {
    readonly subtotal?: { readonly greaterThanOrEqualToSubtotal?: string };
  };
}

const numberOf = (globalId: string): string => globalId.split('/').at(-1) ?? '';

function classesOf(combines: NonNullable<DiscountInput['combinesWith']>) {
  const classes = ['order', 'product', 'shipping'] as const;
  return classes.filter((name) => combines[`${name}Discounts`]);
}

const inputNames = { basic: 'basicCodeDiscount', 'free-shipping': 'freeShippingCodeDiscount' };

function createCodeDiscount(
  context: GraphContext,
  kind: 'basic' | 'free-shipping',
  input: DiscountInput,
): View {
  const fail = (field: string, message: string, code: string) => ({
    codeDiscountNode: null,
    userErrors: [{ field: [inputNames[kind], field], message, code, extraInfo: null }],
  });
  const { code, title, customerGets } = input;
  if (!code) return fail('code', "Code can't be blank", 'BLANK');
  if (!title) return fail('title', "Title can't be blank", 'BLANK');
  if (!input.startsAt) return fail('startsAt', "Starts at can't be blank", 'BLANK');
  if (input.endsAt && Date.parse(input.endsAt) <= Date.parse(input.startsAt)) {
    return fail('endsAt', 'Ends at needs to be after starts_at', 'END_DATE_BEFORE_START_DATE');
  }
  if (context.world.rows.codes.get(code.toLowerCase())) {
    return fail('code', 'Code must be unique. Please try a different code.', 'TAKEN');
  }
  const value = customerGets?.value;
  const amount = value?.discountAmount?.amount;
  if (kind === 'free-shipping' && input.combinesWith?.shippingDiscounts) {
    const message = 'Shipping discounts cannot combine with shipping discounts.';
    return fail('combinesWith', message, 'INVALID_COMBINES_WITH_FOR_DISCOUNT_CLASS');
  }
  if (kind === 'basic' && value?.percentage === undefined && amount === undefined) {
    return fail('customerGets', "Value can't be blank", 'BLANK');
  }
  const customers = input.context?.customers?.add;
  const segments = input.context?.customerSegments?.add;
  const products = customerGets?.items?.products?.productsToAdd;
  const minimum = input.minimumRequirement?.subtotal?.greaterThanOrEqualToSubtotal;
  const unknown = customers?.find((id) => !context.world.rows.customers.get(numberOf(id)));
  if (unknown !== undefined) return fail('context', 'Customer is invalid', 'INVALID');
  const made = context.perform('createDiscount', {
    title,
    kind,
    codes: [code],
    startsAt: input.startsAt,
    endsAt: input.endsAt,
    usageLimit: input.usageLimit,
    oncePerCustomer: input.appliesOncePerCustomer,
    tags: input.tags && [...input.tags],
    combinesWith: input.combinesWith && classesOf(input.combinesWith),
    // The API uses a fraction, the action a percentage.
    percentage: value?.percentage && Math.round(value.percentage * 1e6) / 1e4,
    amount,
    each: value?.discountAmount?.appliesOnEachItem,
    customerIds: customers?.map(numberOf),
    segments: segments?.map(numberOf),
    productIds: products?.map(numberOf),
    minimumSubtotal: minimum,
  });
  if (made.kind === 'refused') return fail('customerGets', made.why, 'INVALID');
  return { codeDiscountNode: discountNodeView(context, made.value), userErrors: [] };
}

interface CreditInput {
  readonly creditAmount: { readonly amount: string; readonly currencyCode: string };
  readonly expiresAt?: string | null;
}

/** What each refusal is about. */
const creditFields: Readonly<Record<string, readonly string[]>> = {
  EXPIRES_AT_IN_PAST: ['creditInput', 'expiresAt'],
  OWNER_NOT_FOUND: ['id'],
  UNSUPPORTED_CURRENCY: ['creditInput', 'creditAmount', 'currencyCode'],
};

/** The owner may be named by the customer or by an account of theirs. */
function creditAccount(
  context: GraphContext,
  { id, creditInput }: { readonly id: string; readonly creditInput: CreditInput },
): View {
  const fail = (why: string, code: string, field = creditFields[code]) => ({
    storeCreditAccountTransaction: null,
    userErrors: [{ field: field ?? ['creditInput', 'creditAmount', 'amount'], message: why, code }],
  });
  const { world, perform } = context;
  const { amount, currencyCode } = creditInput.creditAmount;
  const number = numberOf(id);
  const account = id.includes('/StoreCreditAccount/')
    ? world.rows.storeCreditAccounts.get(number)
    : undefined;
  if (id.includes('/StoreCreditAccount/') && !account) {
    return fail('Store credit account does not exist', 'ACCOUNT_NOT_FOUND', ['id']);
  }
  if (account && account.currency !== currencyCode) {
    const field = ['creditInput', 'creditAmount', 'currencyCode'];
    return fail('The currency does not match the account', 'MISMATCHING_CURRENCY', field);
  }
  const made = perform('creditCustomer', {
    customerId: account?.customerId ?? number,
    // The action takes no negative amount; the store refuses both the same way.
    amount: amount.startsWith('-') ? '0' : amount,
    currency: currencyCode,
    expiresAt: creditInput.expiresAt ?? null,
  });
  if (made.kind === 'refused') return fail(made.why, made.code ?? 'NEGATIVE_OR_ZERO_AMOUNT');
  return {
    storeCreditAccountTransaction: storeCreditView(context, made.value),
    userErrors: [],
  };
}

interface MetafieldInput {
  readonly ownerId: string;
  readonly namespace?: string | null;
  readonly key: string;
  readonly type?: string | null;
  readonly value: string;
}

interface DefinitionInput {
  readonly ownerType: string;
  readonly namespace?: string | null;
  readonly key: string;
  readonly name?: string | null;
  readonly type?: string;
  readonly pin?: boolean | null;
  readonly access?: {
    readonly storefront?: 'NONE' | 'PUBLIC_READ' | null;
    readonly customerAccount?: 'NONE' | 'READ' | 'READ_WRITE' | null;
  } | null;
}

/** The payload of a mutation that the store refuses. */
const failed = (name: string, field: readonly string[], message: string, code?: string): View => ({
  [name]: null,
  userErrors: [{ field, message, ...(code && { code }) }],
});

/** Shopify, "metafieldsSet". */
const MAX_AT_ONCE = 25;
const DEFAULT_NAMESPACE = 'custom';

/** The mutations of metafields and their definitions. */
function metafieldMutations(context: GraphContext): View {
  const { world, perform } = context;
  const definitionOf = (one: Pick<DefinitionInput, 'ownerType' | 'namespace' | 'key'>) =>
    world.rows.metafieldDefinitions.get(
      definitionKey({ ...one, namespace: one.namespace ?? DEFAULT_NAMESPACE }),
    );

  /** Writing a metafield needs the scope of its owner. */
  function checkScopes(owners: readonly string[], fieldName: string): void {
    const ofCustomers = owners.some((owner) => owner.startsWith('gid://shopify/Customer/'));
    if (ofCustomers && !context.scopes.has('write_customers')) {
      throw denyAccess('write_customers', fieldName);
    }
  }

  function faultOf({ ownerId, namespace, key, type, value }: MetafieldInput, index: number) {
    const fault = (field: string, message: string, code: string) => [
      { field: ['metafields', String(index), field], message, code },
    ];
    if (!findNode(context, ownerId)) return fault('ownerId', 'Owner does not exist.', 'INVALID');
    const ownerType = ownerId.split('/').at(-2)?.toUpperCase() ?? '';
    const definition = definitionOf({ ownerType, namespace: namespace ?? null, key });
    if (type == null && !definition) return fault('type', "can't be blank", 'BLANK');
    if (type != null && definition && definition.type !== type) {
      const message = `Type '${type}' must be consistent with the definition's type: '${definition.type}'.`;
      return fault('type', message, 'INVALID_TYPE');
    }
    if (value === '') return fault('value', 'may not be empty', 'BLANK');
    const wanted = type ?? definition?.type;
    if (wanted === 'number_decimal' && !/^-?\d{1,13}(?:\.\d{1,9})?$/.test(value)) {
      return fault('value', 'must be a decimal', 'INVALID_VALUE');
    }
    if (wanted === 'date_time' && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value)) {
      return fault('value', 'must be a date and time', 'INVALID_VALUE');
    }
    if (wanted === 'single_line_text_field' && /[\r\n]/.test(value)) {
      return fault('value', 'must be a single line', 'INVALID_VALUE');
    }
    return [];
  }

  return {
    // All or none, according to the documentation of the mutation.
    metafieldsSet: ({ metafields }: { metafields: readonly MetafieldInput[] }) => {
      checkScopes(
        metafields.map(({ ownerId }) => ownerId),
        'metafieldsSet',
      );
      if (metafields.length > MAX_AT_ONCE) {
        const message = `Exceeded the maximum metafields input limit of ${MAX_AT_ONCE}.`;
        return failed('metafields', ['metafields'], message, 'LESS_THAN_OR_EQUAL_TO');
      }
      const userErrors = metafields.flatMap(faultOf);
      if (userErrors.length > 0) return { userErrors };
      for (const { ownerId, namespace, key, type, value } of metafields) {
        const input = { ownerGid: ownerId, namespace: namespace ?? DEFAULT_NAMESPACE, key, value };
        perform('setMetafield', type == null ? input : { ...input, type });
      }
      return { userErrors };
    },
    metafieldsDelete: ({
      metafields,
    }: {
      metafields: readonly { ownerId: string; namespace: string; key: string }[];
    }) => {
      for (const { ownerId, namespace, key } of metafields)
        perform('deleteMetafield', { ownerGid: ownerId, namespace, key });
      return { userErrors: [] };
    },
    metafieldDefinitionCreate: ({ definition }: { definition: DefinitionInput }) => {
      const { ownerType, key, name, type = '', pin, access } = definition;
      if (definitionOf(definition)) {
        const message = 'Key is in use for Customer metafields on this namespace.';
        return failed('createdDefinition', ['definition', 'key'], message, 'TAKEN');
      }
      perform('defineMetafield', {
        ownerType,
        namespace: definition.namespace ?? DEFAULT_NAMESPACE,
        key,
        name: name ?? key,
        type,
        pinned: pin ?? false,
        storefront: access?.storefront ?? 'NONE',
        customerAccount: access?.customerAccount ?? 'NONE',
      });
      return { userErrors: [] };
    },
    metafieldDefinitionUpdate: ({ definition }: { definition: DefinitionInput }) => {
      const known = definitionOf(definition);
      if (!known) {
        return failed('updatedDefinition', ['definition'], 'Definition not found.', 'NOT_FOUND');
      }
      const { id: _, ...row } = known;
      const { access } = definition;
      perform('defineMetafield', {
        ...row,
        storefront: access?.storefront ?? row.storefront,
        customerAccount: access?.customerAccount ?? row.customerAccount,
      });
      return { userErrors: [] };
    },
  };
}

interface SubscriptionInput {
  readonly uri?: string;
  readonly callbackUrl?: string;
  readonly includeFields?: readonly string[];
  readonly metafieldNamespaces?: readonly string[];
  readonly filter?: string | null;
}

/** The fields of Mutation that the sandbox has. */
export function mutationRoot(context: GraphContext): View {
  const { subscriptions, world, perform } = context;
  return {
    webhookSubscriptionCreate: (args: {
      topic: string;
      webhookSubscription: SubscriptionInput;
    }) => {
      const { topic, webhookSubscription: input } = args;
      const uri = input.uri ?? input.callbackUrl ?? '';
      const name = topicName(topic);
      const taken = [...subscriptions.values()].some(
        (one) => one.topic === name && one.uri === uri,
      );
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
      subscriptions.put(row.id, row);
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
      subscriptions.put(updated.id, updated);
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
    // Documented is only that the trigger must be one of the app's. The sandbox knows no extensions.
    flowTriggerReceive: ({ handle, payload }: { handle?: string; payload?: unknown }) => {
      if (!handle) return { userErrors: [{ field: ['handle'], message: 'Handle is missing' }] };
      const { triggers } = world.rows;
      triggers.put(String(triggers.size), { at: world.now().toISOString(), handle, payload });
      return { userErrors: [] };
    },
    storeCreditAccountCredit: (args: { id: string; creditInput: CreditInput }) =>
      creditAccount(context, args),
  };
}
