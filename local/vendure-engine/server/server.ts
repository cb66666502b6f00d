import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { AdminUiPlugin } from '@vendure/admin-ui-plugin';
import {
  bootstrap,
  DefaultJobQueuePlugin,
  DefaultLogger,
  dummyPaymentHandler,
  type InitialData,
  LanguageCode,
  LogLevel,
  type VendureConfig,
} from '@vendure/core';
import { populate } from '@vendure/core/cli/index.js';
import { SqljsQueryRunner } from 'typeorm/driver/sqljs/SqljsQueryRunner.js';
import { LoyaltyConnectorPlugin } from '../../../vendure-plugin/src/plugin.ts';
import { LOGIN } from '../shop.ts';
import { cardHandler } from './card-handler.ts';

/** The process of the engine. Its arguments are the port, the file of its data, and where the plugin sends to, if it runs. */
const [port = '', file = '', address, secret] = process.argv.slice(2);

// TypeORM forgets what a transaction wrote when another request ends during it.
Object.assign(SqljsQueryRunner.prototype, {
  async flush(this: { isDirty: boolean; isTransactionActive: boolean; driver: Driver }) {
    if (!this.isDirty || this.isTransactionActive) return;
    this.isDirty = false;
    await this.driver.autoSave();
  },
});

interface Driver {
  autoSave(): Promise<void>;
}

const config: VendureConfig = {
  apiOptions: {
    hostname: '127.0.0.1',
    port: Number(port),
    adminApiPath: 'admin-api',
    shopApiPath: 'shop-api',
    adminListQueryLimit: Number(process.env.VENDURE_LIST_LIMIT ?? 1_000),
  },
  authOptions: {
    tokenMethod: ['bearer'],
    superadminCredentials: { identifier: LOGIN.username, password: LOGIN.password },
    requireVerification: false,
  },
  dbConnectionOptions: {
    type: 'sqljs',
    synchronize: true,
    ...(existsSync(file) && { database: readFileSync(file) }),
    autoSave: true,
    autoSaveCallback: (data: Uint8Array) => {
      // Renamed into place: a kill leaves what was committed before.
      writeFileSync(`${file}.new`, data);
      renameSync(`${file}.new`, file);
    },
  },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler, cardHandler] },
  logger: new DefaultLogger({ level: LogLevel.Warn, timestamp: false }),
  plugins: [
    DefaultJobQueuePlugin,
    AdminUiPlugin.init({
      route: 'admin',
      port: Number(port),
      // The default asks a server of Vendure's for a picture.
      adminUiConfig: {
        loginImageUrl: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>',
      },
    }),
    ...(address && secret ? [LoyaltyConnectorPlugin.init({ address, secret })] : []),
  ],
};

const dummy = (automaticSettle: boolean) => ({
  code: dummyPaymentHandler.code,
  arguments: [{ name: 'automaticSettle', value: String(automaticSettle) }],
});

const initialData: InitialData = {
  defaultLanguage: LanguageCode.en,
  defaultZone: 'Europe',
  taxRates: [
    { name: 'Standard', percentage: 19 },
    { name: 'Reduced', percentage: 7 },
  ],
  shippingMethods: [{ name: 'Parcel', price: 500, taxRate: 19 }],
  paymentMethods: [
    { name: 'Card', handler: { code: 'card', arguments: [] } },
    { name: 'Transfer', handler: dummy(true) },
    { name: 'Invoice', handler: dummy(false) },
  ],
  countries: [{ name: 'Germany', code: 'DE', zone: 'Europe' }],
  collections: [],
};

const isNew = !existsSync(file);
/** For a process that does more than to serve. */
export const app = await (isNew
  ? populate(() => bootstrap(config), initialData)
  : bootstrap(config));
process.send?.('ready');
process.on('disconnect', () => process.exit(0));
