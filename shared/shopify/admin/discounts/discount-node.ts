import type { DataOf } from '../client/admin-client.ts';
import type { couponDocument } from '../documents.gen.ts';

export type CodeDiscountNode = NonNullable<DataOf<typeof couponDocument>['codeDiscountNodeByCode']>;
/** One of the four kinds. */
export type CodeDiscount = CodeDiscountNode['codeDiscount'];
export type RedeemCode = CodeDiscount['codes']['nodes'][number];
