import { errorNames, type LoyaltyErrorName } from './error-codes.ts';

/** The enumeration covers the whole service, and much of it lies out of reach of this API. */
const ELSEWHERE =
  'The connector does not use this part of the service: check what was sent, and to which address.';

/** Of each error that a call can meet: why it has its class, and what to look at. Read by the person on call. */
export const errorAdvice: Readonly<Partial<Record<LoyaltyErrorName, string>>> = {
  General_FieldCannotBeNullOrBlank:
    'A field we sent is empty: the message should name it; check the mapping and the store data.',
  General_FieldCannotBeDefault:
    'A field we sent holds its default (zero, empty): the message should name it; check the mapping.',
  General_BiggerThanZero:
    'An amount we sent is zero or less: check the order total and the prices.',
  Genaral_LengthLimitExceeded:
    'A text we sent is too long; the limits are not documented. Check names, addresses, metadata.',
  Order_OrderCompletedNeddCompletedDate:
    'A completed order without its completion date: report it, or correct shared/core/mapping in a clone.',
  Order_OrderCompletedDateMustBeAfterPlacementDate:
    'The completion date is before the placement date: compare the two in the store.',
  Order_CompletedOrderCannotBeCancelled:
    'It is then sent as a returned order; if that is refused, too, cancel it in the admin panel.',
  Order_CancelledOrderRequiresCancellationDate:
    'A cancelled order without its cancellation date: report it, or correct shared/core/mapping in a clone.',
  Order_OrderCancellationDateBeforePlacementDate:
    'Cancelled before it was placed: compare the two dates in the store.',
  Points_PointsCannotBeZero:
    'The change amounts to zero points: check the amounts and the points rules in the admin panel.',
  ApiOrder_OrderIsCancelled:
    'For a cancellation: nothing left to do. Else: cancelled there, but not in the store; compare both.',
  PublicApiProductService_ObjectiveDisabled:
    'Points for purchases are switched off: see the objective in the admin panel.',
  PublicApiProductService_ErrorCalculatingPoints:
    'The service failed to calculate and gives no reason; calculating changes nothing.',
  ApiExternalOrder_Cant_Insert_Update:
    'The order was not written and no reason is given; sending it again is safe.',
  ApiExternalOrder_Order_Not_Found:
    'For a cancellation: nothing to cancel. Else: the service lost the order; send it again.',
  ApiExternalProduct_Cant_Insert_Update:
    'The product was not written and no reason is given; sending it again is safe.',
  ApiExternalErro_Original_Id_Cant_Be_Null:
    'Something was sent without its OriginalId: report it, or correct shared/core/mapping in a clone.',
  ApiExternalCustomer_Cant_Insert:
    'No reason is given; two first orders of one customer at the same time can do this.',
  ApiExternalCustomer_Cant_Update:
    'No reason is given; two orders of one customer at the same time can do this.',
  ApiReviewsKeysValidation:
    'The API keys were refused as those of a reviews partner: check which keys the shop uses.',
  ApiExternalRewardConfiguration_Error:
    'Rewards could not be handled and no reason is given; reading changes nothing.',
  ApiExternalRewardConfiguration_Get_Error:
    'A reward could not be read and no reason is given; if it stays, check that its id exists.',
  ApiExternal_Error_Page_Size: 'More than 50 items per page were asked for: a fault of the caller.',
  ApiExternalRewardRedeem_Error_Customer_not_Found:
    'The service does not know the customer: check the id, and that an order of theirs was sent.',
  ApiExternalRewardRedeem_Error_Unable_to_Reedem:
    'The customer may not have this reward: check points, limits and tier in the admin panel.',
  ApiExternalCustomer_document_email_empty:
    'The customer has neither document nor e-mail (usual at a till): set a source for the document.',
  ApiExternalCustomer_documen_AlphaNumeric_only:
    'The document has characters other than letters and digits: check its source in the store.',
  ApiExternalCoupon_Customer_Not_Found:
    "The service does not know the coupon's customer: check that Customer went along with the coupon.",
  ApiExternalCoupon_Cant_Update_Coupon:
    'The coupon was not written and no reason is given; if it stays, see if it was used there.',
  ApiExternalCoupon_Not_found:
    'For a deactivation: nothing to deactivate. Else: compare the code with the admin panel.',
  Customer_NotFound:
    'The service does not know the customer: check the id, and that an order of theirs was sent.',
  Tier_NotFound: 'The tier does not exist: see the tiers in the admin panel.',
  ChangePoints_CannotAddPointsWithWrongOperationType:
    'Sign and OperationType disagree: 0 adds a Value above zero, 1 removes with one below zero.',
  ChangePoints_CannotRemovePointsWithWrongOperationType:
    'Sign and OperationType disagree: 0 adds a Value above zero, 1 removes with one below zero.',
  ChangePoints_CannotBeZeroPoints: 'A change of zero: there was nothing to send; check the caller.',
  ChangePoints_ChangeKeyCannotBeNull: 'A change without its ChangeKey: a fault of the caller.',
  ChangePoints_ChangeKeyAlreadyExists:
    'For a change of cashback: it was already made. Else: two changes share a key.',
  ChangePoints_ReasonCannotBeNullOrBlank: 'A change without its Reason: a fault of the caller.',
  ApiCustomer_InsertAlreadyExists:
    'We add customers only with orders and coupons: another came first, and a repeat finds it.',
  ApiCustomer_ChangeCashback_Inactive:
    'Cashback is switched off, for the program or the customer: see the admin panel.',
  ApiCustomer_RedeemCashback_Error:
    "A repeat may redeem twice: compare the customer's balance first.",
  ImportCoupons_AllCouponsAlreadyExists:
    'The codes exist, perhaps with other values: compare them in the admin panel.',
  ApiCustomer_CannotChangeBirthday:
    'The birthday differs from the recorded one, which is fixed: correct it in the store or there.',
  ApiRewardCancel_NotFound:
    'The service does not know the redemption: compare its id with the admin panel.',
  ApiRewardCancel_AlreadyCanceled:
    'The redemption is already cancelled: nothing left to do, the points are back.',
  ApiRewardCancel_InternalError:
    'An internal error of the service; cancelling a redemption is safe to repeat.',
  ApiPartnerKeysValidation:
    'The API keys were refused as those of a partner: check which keys the shop uses.',
  GenericError: 'No reason is given; if it concerns one order or customer only, look at that one.',
  ApiDomain_NotFound:
    'The service does not know the domain: check its base address, and that the shop is still set up.',
  ApiTenant_NotFound:
    'The service does not know the merchant: check API token and base address, and that the account still exists.',
  PdvUser_InvalidCredentials:
    'The credentials are wrong: check API token and key, and that they were not replaced.',
  ApiReward_NoActiveRewards: 'No reward is active: see the rewards in the admin panel.',
  PdvReward_RewardNotFound: 'No reward with this id or key: compare it with the admin panel.',
  PdvReward_PurchaseValueInvalid:
    'The value of the purchase was refused: check the amounts of the cart.',
  PdvReward_CashbackValueInvalid:
    'The amount of cashback was refused: compare it with what the service offers.',
  PdvUser_NotFound: 'The till user of this order is unknown: check its SalesPerson.',
  PdvUser_NotInserted:
    'A till user was not written and no reason is given; sending the order again is safe.',
  PdvOrder_WrongAmountOfPoints:
    'The points of a till order do not add up: compare the order with the admin panel.',
  PdvOrder_ExcededMaxValue:
    'A till order is above the highest value allowed: see the limit in the admin panel.',
  PdvOrder_NotEnoughPoints:
    'The customer has too few points for this till order: compare with the admin panel.',
  PdvOrder_OrderIdAlreadyExists:
    'An order sent again was not accepted as an update, although we assume that: see the assumptions.',
  PdvOrder_CreationError:
    'The till order was not written and no reason is given; sending it again is safe.',
  PdvOrder_CancellationError:
    'The till order was not cancelled and no reason is given; cancelling again is safe.',
  PdvOrder_NotFound:
    'There is no such till order, but it may exist as another kind, with points: check before you drop it.',
  PdvOrder_CustomerMismatch:
    'The order belongs to another customer there: compare both in the admin panel.',
  PdvOrder_OriginalIdUpdateError:
    "We never change an order's id: find out what else writes orders.",
  PdvBranch_NotInserted:
    'A branch was not written and no reason is given; sending the order again is safe.',
  PdvBranch_OriginalIdAlreadyExists:
    'We add branches only with orders: another came first, and a repeat finds it.',
  Too_Many_Requests:
    'Too many calls; the limit is not documented. If it stays, lower the number of parallel calls.',
  Reinstall_The_App:
    'The service lost its connection to the store: the merchant must install its app again.',
  NewCustomer_EmailAlreadyUsed:
    'Another customer of the loyalty service has this e-mail: look for two accounts of one person.',
  NewCustomer_DocumentAlreadyUsed:
    'Another customer of the loyalty service has this document: look for two accounts of one person.',
};

/** Undefined without an error name, and for one of a newer service. */
export function adviceOn(name: string | undefined): string | undefined {
  const known = Object.values(errorNames).find((one) => one === name);
  return known && (errorAdvice[known] ?? ELSEWHERE);
}
