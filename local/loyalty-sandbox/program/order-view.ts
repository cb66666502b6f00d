import type { components } from '../../../shared/loyalty/contract.gen.ts';
import { orderState, unspecified } from './assigned-numbers.ts';
import { balanceOf } from './balances.ts';
import type { Context } from './context.ts';
import { fromHundredths } from './hundredths.ts';
import { knownFields } from './known-fields.ts';
import { estimateOf } from './order-points.ts';
import type { CustomerRow, OrderRow } from './rows.ts';
import { tierOf } from './tiers.ts';

type Schemas = components['schemas'];

export function describeOrder(
  context: Context,
  row: OrderRow,
  customer: CustomerRow,
): Schemas['OrderResult'] {
  return {
    ...knownFields({
      Id: row.Id,
      OriginalId: row.OriginalId,
      OrderPlacementDate: row.OrderPlacementDate,
      OrderStatus: row.OrderStatus,
      IsCancelledOrReturned: row.IsCancelledOrReturned,
      IsCompleted: row.IsCompleted,
      OrderTotal: row.OrderTotal,
      UpdatedDate: row.UpdatedDate,
    }),
    OrderCompletedDate: row.OrderCompletedDate,
    OrderCancelledDate: row.OrderCancelledDate,
    Customer: describeOrderCustomer(context, customer),
    Products:
      row.Products?.map(({ Url, ImageUrl, ProductPrice, ...product }) => ({
        ...knownFields(product),
        Url,
        ImageUrl,
        ProductPrice,
      })) ?? null,
    Coupon: row.Coupon,
    ExternalCoupon: row.ExternalCoupon,
    Branch: row.Branch && knownFields(row.Branch),
    TenantSalesman: row.SalesPerson && knownFields(row.SalesPerson),
    EstimatedBonus: estimateOf(context, row),
    State: stateOf(row),
    Origin: context.settings.orderOrigin,
    Metadatas: row.Metadatas.map((pair) => knownFields({ ...pair, OrderId: row.Id })),
  };
}

export function stateOf({ IsCompleted, IsCancelledOrReturned }: OrderRow) {
  if (IsCancelledOrReturned) return orderState.cancelled;
  return IsCompleted ? orderState.completed : orderState.pending;
}

/** What the sandbox has no such thing for (administrators, segments, affiliates) is there, but empty. */
function describeOrderCustomer(context: Context, row: CustomerRow): Schemas['OrderCustomer'] {
  const balance = balanceOf(context, row.OriginalId);
  return {
    ...knownFields({
      OriginalId: row.OriginalId,
      Name: row.Name,
      FirstName: row.Name?.trim().split(/\s+/)[0] ?? null,
      Email: row.Email,
      Phone: row.Phone,
      BirthdayDate: row.BirthdayDate,
      BirthdayUpdateDate: row.birthdayChangedAt,
      SignupDate: row.SignupDate,
      Document: row.Document,
      IsEnrolled: row.IsEnrolled,
      EnrolledDate: row.enrolledAt,
    }),
    Id: row.Id,
    PublicId: row.PublicId,
    SecondaryId: '',
    // How the two differ is not shown.
    PointsBalance: fromHundredths(balance.points),
    BalanceOfPoints: fromHundredths(balance.points),
    Cashback: fromHundredths(balance.cashback),
    OrderCount: context.tables.ordersByCustomer.count(row.OriginalId),
    ReasonEnrolled: '',
    AdminId: unspecified,
    EmailAdmin: '',
    TierName: tierOf(context, row.OriginalId).name,
    Origin: row.origin,
    RfmGroup: unspecified,
    RfmGroupName: '',
    Affiliate: {
      Id: unspecified,
      CustomerId: row.Id,
      IsActive: false,
      AffiliateCoupon: '',
      LastUpdated: row.createdAt,
      CouponHistories: [],
    },
  };
}
