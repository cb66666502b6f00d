import type {
  DiscountCodeBasicInput,
  DiscountCodeFreeShippingInput,
  MetafieldDefinitionInput,
  MetafieldDefinitionUpdateInput,
  MetafieldIdentifierInput,
  MetafieldsSetInput,
  StoreCreditAccountCreditInput,
  WebhookSubscriptionInput,
} from '../../../shared/shopify/admin/documents.gen.ts';
import { addressProblem, type SubscriptionRow } from '../delivery/subscriptions.ts';
import { definitionKey } from '../model/metafields.ts';
import { denyAccess } from './access.ts';
import { discountNodeView, storeCreditView, subscriptionView, topicName } from './entity-views.ts';
import { findNode } from './find-node.ts';
import type { GraphContext, View } from './graph-context.ts';

const numberOf = (globalId: string): string => globalId.split('/').at(-1) ?? '';

function classesOf(combines: NonNullable<DiscountCodeBasicInput['combinesWith']>) {
  const classes = ['order', 'product', 'shipping'] as const;
  return classes.filter((name) => combines[`${name}Discounts`]);
}

const inputNames = { basic: 'basicCodeDiscount', 'free-shipping': 'freeShippingCodeDiscount' };

function createCodeDiscount(
  context: GraphContext,
  kind: 'basic' | 'free-shipping',
  input: DiscountCodeBasicInput,
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
  const { amount, appliesOnEachItem } = value?.discountAmount ?? {};
  if (kind === 'free-shipping' && input.combinesWith?.shippingDiscounts) {
    const message = 'Shipping discounts cannot combine with shipping discounts.';
    return fail('combinesWith', message, 'INVALID_COMBINES_WITH_FOR_DISCOUNT_CLASS');
  }
  if (kind === 'basic' && value?.percentage == null && amount == null) {
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
    oncePerCustomer: input.appliesOncePerCustomer ?? undefined,
    tags: input.tags?.slice(),
    combinesWith: input.combinesWith ? classesOf(input.combinesWith) : undefined,
    // The API uses a fraction, the action a percentage.
    percentage: value?.percentage == null ? undefined : Math.round(value.percentage * 1e6) / 1e4,
    amount: amount ?? undefined,
    each: appliesOnEachItem ?? undefined,
    customerIds: customers?.map(numberOf),
    segments: segments?.map(numberOf),
    productIds: products?.map(numberOf),
    minimumSubtotal: minimum,
  });
  if (made.kind === 'refused') return fail('customerGets', made.why, 'INVALID');
  return { codeDiscountNode: discountNodeView(context, made.value), userErrors: [] };
}

interface CreditArguments {
  readonly id: string;
  readonly creditInput: StoreCreditAccountCreditInput;
}

/** What each refusal is about. */
const creditFields: Readonly<Record<string, readonly string[]>> = {
  EXPIRES_AT_IN_PAST: ['creditInput', 'expiresAt'],
  OWNER_NOT_FOUND: ['id'],
  UNSUPPORTED_CURRENCY: ['creditInput', 'creditAmount', 'currencyCode'],
};

/** The owner may be named by the customer or by an account of theirs. */
function creditAccount(context: GraphContext, { id, creditInput }: CreditArguments): View {
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

/** The payload of a mutation that the store refuses. */
const failed = (name: string, field: readonly string[], message: string, code?: string): View => ({
  [name]: null,
  userErrors: [{ field, message, ...(code && { code }) }],
});

/** Shopify, "metafieldsSet". */
const MAX_AT_ONCE = 25;
const DEFAULT_NAMESPACE = 'custom';
/** What values look like, by their type. */
const FORMS = new Map<string, readonly [RegExp, string]>([
  ['number_decimal', [/^-?\d{1,13}(?:\.\d{1,9})?$/, 'must be a decimal']],
  ['date_time', [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/, 'must be a date and time']],
  ['single_line_text_field', [/^[^\r\n]*$/, 'must be a single line']],
]);

type Named = Pick<MetafieldsSetInput, 'namespace' | 'key'>;

/** The mutations of metafields and their definitions. */
function metafieldMutations(context: GraphContext): View {
  const { world, perform } = context;
  const definitionOf = (ownerType: string, { namespace, key }: Named) =>
    world.rows.metafieldDefinitions.get(
      definitionKey({ ownerType, namespace: namespace ?? DEFAULT_NAMESPACE, key }),
    );

  /** Writing a metafield needs the scope of its owner. */
  function checkScopes(owners: readonly string[], fieldName: string): void {
    const ofCustomers = owners.some((owner) => owner.startsWith('gid://shopify/Customer/'));
    if (ofCustomers && !context.scopes.has('write_customers')) {
      throw denyAccess('write_customers', fieldName);
    }
  }

  function faultOf(metafield: MetafieldsSetInput, index: number) {
    const { ownerId, type, value } = metafield;
    const fault = (field: string, message: string, code: string) => [
      { field: ['metafields', String(index), field], message, code },
    ];
    if (!findNode(context, ownerId)) return fault('ownerId', 'Owner does not exist.', 'INVALID');
    const ownerType = ownerId.split('/').at(-2)?.toUpperCase() ?? '';
    const definition = definitionOf(ownerType, metafield);
    if (type == null && !definition) return fault('type', "can't be blank", 'BLANK');
    if (type != null && definition && definition.type !== type) {
      const message = `Type '${type}' must be consistent with the definition's type: '${definition.type}'.`;
      return fault('type', message, 'INVALID_TYPE');
    }
    if (value === '') return fault('value', 'may not be empty', 'BLANK');
    const wanted = type ?? definition?.type;
    const [form, problem = ''] = FORMS.get(wanted ?? '') ?? [];
    if (form && !form.test(value)) return fault('value', problem, 'INVALID_VALUE');
    return [];
  }

  return {
    // All or none, according to the documentation of the mutation.
    metafieldsSet: ({ metafields }: { metafields: readonly MetafieldsSetInput[] }) => {
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
    metafieldsDelete: (args: { metafields: readonly MetafieldIdentifierInput[] }) => {
      for (const { ownerId, namespace, key } of args.metafields)
        perform('deleteMetafield', { ownerGid: ownerId, namespace, key });
      return { userErrors: [] };
    },
    metafieldDefinitionCreate: ({ definition }: { definition: MetafieldDefinitionInput }) => {
      const { ownerType, key, name, type, pin, access } = definition;
      if (definitionOf(ownerType, definition)) {
        const message = 'Key is in use for Customer metafields on this namespace.';
        return failed('createdDefinition', ['definition', 'key'], message, 'TAKEN');
      }
      perform('defineMetafield', {
        ownerType,
        namespace: definition.namespace ?? DEFAULT_NAMESPACE,
        key,
        name,
        type,
        pinned: pin ?? false,
        storefront: access?.storefront ?? 'NONE',
        customerAccount: access?.customerAccount ?? 'NONE',
      });
      return { userErrors: [] };
    },
    metafieldDefinitionUpdate: (args: { definition: MetafieldDefinitionUpdateInput }) => {
      const { access, ownerType } = args.definition;
      const known = definitionOf(ownerType, args.definition);
      if (!known) {
        return failed('updatedDefinition', ['definition'], 'Definition not found.', 'NOT_FOUND');
      }
      const { id: _, ...row } = known;
      perform('defineMetafield', {
        ...row,
        storefront: access?.storefront ?? row.storefront,
        customerAccount: access?.customerAccount ?? row.customerAccount,
      });
      return { userErrors: [] };
    },
  };
}

interface SubscriptionArguments {
  readonly topic: string;
  readonly webhookSubscription: WebhookSubscriptionInput;
}

const ADDRESS = ['webhookSubscription', 'callbackUrl'];
const NO_SUBSCRIPTION = 'Webhook subscription does not exist';

/** The fields of Mutation that the sandbox has. */
export function mutationRoot(context: GraphContext): View {
  const { subscriptions, world, perform } = context;
  const subscribe = (row: SubscriptionRow, input: WebhookSubscriptionInput) => {
    const { includeFields, metafieldNamespaces, filter } = input;
    const uri = input.uri ?? input.callbackUrl ?? row.uri;
    const problem = addressProblem(uri);
    if (problem !== undefined) return failed('webhookSubscription', ADDRESS, problem);
    const written = {
      ...row,
      uri,
      includeFields: includeFields ?? row.includeFields,
      metafieldNamespaces: metafieldNamespaces ?? row.metafieldNamespaces,
      filter: filter === undefined ? row.filter : filter,
    };
    subscriptions.put(row.id, written);
    return { webhookSubscription: subscriptionView(written), userErrors: [] };
  };
  return {
    webhookSubscriptionCreate: ({ topic, webhookSubscription: input }: SubscriptionArguments) => {
      const uri = input.uri ?? input.callbackUrl ?? '';
      const name = topicName(topic);
      const own = [...subscriptions.values()].filter((one) => one.topic === name);
      if (own.some((one) => one.uri === uri)) {
        return failed(
          'webhookSubscription',
          ADDRESS,
          'Address for this topic has already been taken',
        );
      }
      const id = world.ids.next('WebhookSubscription');
      const whole = { includeFields: [], metafieldNamespaces: [], filter: null };
      return subscribe({ id, topic: name, uri, madeBy: 'admin-api', ...whole }, input);
    },
    webhookSubscriptionUpdate: (args: { id: string } & Omit<SubscriptionArguments, 'topic'>) => {
      const row = subscriptions.get(numberOf(args.id));
      return row?.madeBy === 'admin-api'
        ? subscribe(row, args.webhookSubscription)
        : failed('webhookSubscription', ['id'], NO_SUBSCRIPTION);
    },
    webhookSubscriptionDelete: ({ id }: { id: string }) => {
      const row = subscriptions.get(numberOf(id));
      if (row?.madeBy !== 'admin-api') {
        return failed('deletedWebhookSubscriptionId', ['id'], NO_SUBSCRIPTION);
      }
      subscriptions.delete(row.id);
      return { deletedWebhookSubscriptionId: id, userErrors: [] };
    },
    ...metafieldMutations(context),
    discountCodeBasicCreate: (args: { basicCodeDiscount: DiscountCodeBasicInput }) =>
      createCodeDiscount(context, 'basic', args.basicCodeDiscount),
    discountCodeFreeShippingCreate: (args: {
      freeShippingCodeDiscount: DiscountCodeFreeShippingInput;
    }) => createCodeDiscount(context, 'free-shipping', args.freeShippingCodeDiscount),
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
    storeCreditAccountCredit: (args: CreditArguments) => creditAccount(context, args),
  };
}
