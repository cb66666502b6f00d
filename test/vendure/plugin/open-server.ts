import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  bootstrap,
  CustomerService,
  DefaultJobQueuePlugin,
  defaultPromotionActions,
  dummyPaymentHandler,
  type InitialData,
  JobQueueService,
  LanguageCode,
  RequestContextService,
  TransactionalConnection,
  type VendureConfig,
} from '@vendure/core';
import { populate } from '@vendure/core/cli/index.js';
import { cardHandler } from '../../../local/vendure-engine/server/card-handler.ts';
import { VendureShop } from '../../../local/vendure-engine/shop.ts';
import type { Delivery } from '../../../shared/core/events/receive-delivery.ts';
import { vendureDeliveries } from '../../../shared/vendure/deliveries.ts';
import { LoyaltyConnectorPlugin } from '../../../vendure-plugin/src/plugin.ts';
import { LASTING } from '../../support/lasting.ts';
import { openMerchant } from '../merchant.ts';

export const SECRET = 'secret-of-this-test-0123456789abcdef';

export interface Sent {
  readonly id: string;
  readonly kind: string;
  readonly entityId: string;
  readonly change: string;
}

/** Stands for the connector: it keeps what it accepts, and believes what is signed now and as the plugin must sign. */
export async function openConnector() {
  const connector = {
    address: '',
    accepted: [] as Sent[],
    asked: 0,
    answer: (_: Sent): number => 200,
    close: () => server.close(),
  };
  const server = createServer(LASTING, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    // A page to which a proxy sends strangers: it says 200 to all.
    if (request.method === 'GET') return response.end();
    const body = Buffer.concat(chunks);
    const event = JSON.parse(body.toString()) as Sent;
    connector.asked += 1;
    const headers = request.headers as Delivery['headers'];
    const delivery = { method: 'POST', path: '/webhooks/shop', headers, body };
    const isSigned =
      vendureDeliveries.maySign(headers, new Date()) &&
      vendureDeliveries.check(delivery, { current: SECRET }) === 'current' &&
      vendureDeliveries.identify(delivery, 'shop.example.com').kind === 'event';
    const isRight = request.url === '/webhooks/shop' && isSigned;
    response.statusCode = isRight ? connector.answer(event) : 404;
    if (response.statusCode === 302) response.setHeader('location', '/login');
    if (response.statusCode === 200) connector.accepted.push(event);
    return response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  connector.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/shop`;
  return connector;
}

const initialData: InitialData = {
  defaultLanguage: LanguageCode.en,
  defaultZone: 'Europe',
  taxRates: [{ name: 'Standard', percentage: 19 }],
  shippingMethods: [{ name: 'Parcel', price: 500 }],
  paymentMethods: [{ name: 'Card', handler: { code: 'card', arguments: [] } }],
  countries: [{ name: 'Germany', code: 'DE', zone: 'Europe' }],
  collections: [],
};

/** A Vendure server in this process, so that a test reaches its services and its log. */
export async function openServer(database: VendureConfig['dbConnectionOptions'], address: string) {
  const log: string[] = [];
  const keep = (message: string, context?: string) =>
    void (context === 'LoyaltyConnector' && log.push(message));
  const config: VendureConfig = {
    apiOptions: {
      hostname: '127.0.0.1',
      port: 0,
      adminApiPath: 'admin-api',
      shopApiPath: 'shop-api',
    },
    authOptions: {
      tokenMethod: ['bearer'],
      superadminCredentials: { identifier: 'superadmin', password: 'superadmin' },
      requireVerification: false,
    },
    dbConnectionOptions: { ...database, synchronize: true },
    paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler, cardHandler] },
    promotionOptions: { promotionActions: defaultPromotionActions },
    logger: { error: keep, warn: keep, info: keep, verbose() {}, debug() {} },
    plugins: [DefaultJobQueuePlugin, LoyaltyConnectorPlugin.init({ address, secret: SECRET })],
  };
  const app = await populate(() => bootstrap(config), initialData);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const shop = new VendureShop(port);
  const merchant = openMerchant(shop);
  await merchant.setUp();
  // The jobs of a worker, in this process.
  await app.get(JobQueueService).start();
  const connection = app.get(TransactionalConnection);
  return {
    ...{ app, shop, merchant, log, connection },
    customers: app.get(CustomerService),
    ctx: await app.get(RequestContextService).create({ apiType: 'admin' }),
    rows: (where = '1 = 1'): Promise<Row[]> =>
      connection.rawConnection.query(`SELECT * FROM loyalty_outbox WHERE ${where}`),
    close: () => app.close(),
  };
}

export interface Row extends Sent {
  readonly attempts: number;
  readonly nextAt: number | string;
  readonly givenUp: boolean | number;
}
