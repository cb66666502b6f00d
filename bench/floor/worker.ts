import https from 'node:https';
import type { SQSEvent } from 'aws-lambda';
import { openAwsService, post } from './aws-request.ts';

/**
 * The least code that can apply an order: read the record, map, call the loyalty service, record. One
 * order after the other; the first failure fails the batch.
 */
const dynamoDb = openAwsService('dynamodb', '1.0');
const secrets = openAwsService('secretsmanager', '1.1');
const url = new URL(process.env.LOYALTY_SANDBOX_ADDRESS ?? '');
const http = url.protocol === 'https:' ? https : process.getBuiltinModule('node:http');
const agent = new http.Agent({ keepAlive: true });
const TableName = process.env.LEDGER_TABLE;
let authorization: Promise<string> | undefined;

export async function handler({ Records }: SQSEvent) {
  for (const { body } of Records) await apply(JSON.parse(body));
}

// biome-ignore lint/suspicious/noExplicitAny: the least code does not check what it reads
async function apply(order: any): Promise<void> {
  const entity = { S: String(order.id) };
  const { Item } = await dynamoDb('DynamoDB_20120810.GetItem', {
    TableName,
    Key: { entity },
    ConsistentRead: true,
  });
  const version = Date.parse(order.updated_at);
  if (Number((Item as { v?: { N: string } } | undefined)?.v?.N ?? 0) >= version) return;
  authorization ??= readCredentials();
  const answer = await post(http, {
    agent,
    url,
    path: '/v1/pvt/POS/orders',
    headers: { 'content-type': 'application/json', authorization: await authorization },
    body: Buffer.from(JSON.stringify(plainOrder(order))),
  });
  if (JSON.parse(answer).HasError !== false) throw new Error('refused');
  await dynamoDb('DynamoDB_20120810.PutItem', {
    TableName,
    Item: { entity, v: { N: String(version) } },
    ConditionExpression: 'attribute_not_exists(v) OR v < :v',
    ExpressionAttributeValues: { ':v': { N: String(version) } },
  });
}

async function readCredentials(): Promise<string> {
  const SecretId = `${process.env.SECRETS_PREFIX}/example-store/loyalty`;
  const { SecretString } = await secrets('secretsmanager.GetSecretValue', { SecretId });
  const { token, key } = JSON.parse(String(SecretString));
  return `Basic ${Buffer.from(`${token}:${key}`).toString('base64')}`;
}

/**
 * The order for the loyalty service as in a first version of any connector: the same fields as this
 * connector sends, without exact decimals, refunds, edits, guests or ids beyond 2^53.
 */
// biome-ignore lint/suspicious/noExplicitAny: as above
function plainOrder(order: any) {
  const [gateway] = order.payment_gateway_names;
  const { id, first_name, last_name, email, phone } = order.customer ?? {};
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const products = order.line_items.map((line: any) => ({
    OriginalId: String(line.product_id),
    Title: line.title,
    IsActive: true,
    ProductPrice: line.discount_allocations.reduce(
      (left: number, one: { readonly amount: string }) => left - Number(one.amount),
      Number(line.price) * line.current_quantity,
    ),
    ProductBrand: { OriginalId: line.vendor, Name: line.vendor },
  }));
  return {
    OriginalId: String(order.id),
    OrderPlacementDate: order.processed_at ?? order.created_at,
    OrderCompletedDate: null,
    OrderCancelledDate: order.cancelled_at,
    OrderStatus: order.fulfillment_status ?? order.financial_status,
    IsCancelledOrReturned: order.cancelled_at !== null,
    IsCompleted: order.fulfillment_status === 'fulfilled',
    OrderTotal: Number(order.current_subtotal_price),
    Products: products,
    UpdatedDate: order.updated_at,
    Coupon: order.discount_applications[0]?.code ?? null,
    Customer: {
      OriginalId: String(id),
      Name: `${first_name} ${last_name}`,
      Email: email,
      Phone: phone,
    },
    PaymentMethod: { OriginalId: gateway, Name: gateway },
  };
}
