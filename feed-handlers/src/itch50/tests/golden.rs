//! One message of each type, made by hand, with every field.
//!
//! The bytes are written field by field in wire order. No two neighbouring bytes of a number are
//! alike, so a wrong offset, width or byte order gives another value.

use super::wire::hex;
use crate::itch50::Message;
use crate::itch50::field::{Alpha, FieldValue};
use crate::itch50::message::Prefix;

/// Locate 258, tracking number 772, 09:30:00.000000001.
const PREFIX: &str = "0102 0304 1f1aced9f001";
/// `TEST.A` with two spaces.
const STOCK: &str = "544553542e412020";

fn padded<const N: usize>(text: &str) -> Alpha<N> {
    Alpha(std::array::from_fn(|i| text.as_bytes().get(i).copied().unwrap_or(b' ')))
}

fn int(value: u64) -> FieldValue {
    FieldValue::Integer(value)
}

fn code(text: &str) -> FieldValue {
    FieldValue::Code(padded(text))
}

fn text4(text: &str) -> FieldValue {
    FieldValue::Text4(padded(text))
}

fn stock() -> (&'static str, FieldValue) {
    ("stock", FieldValue::Text8(padded("TEST.A")))
}

fn price(text: &str) -> FieldValue {
    FieldValue::Price(text.parse().unwrap())
}

/// Decodes `type PREFIX rest` and compares name, prefix and all fields.
#[track_caller]
fn golden(message_type: u8, label: &str, rest: &str, expected: &[(&str, FieldValue)]) {
    let rest = rest.replace("STOCK", STOCK);
    let bytes = [vec![message_type], hex(PREFIX), hex(&rest)].concat();
    let message = Message::decode(&bytes).unwrap();
    assert_eq!((message.message_type(), message.label()), (message_type, label));
    let prefix =
        Prefix { stock_locate: 258, tracking_number: 772, timestamp_ns: 34_200_000_000_001 };
    assert_eq!(message.prefix(), prefix);
    let mut fields = Vec::new();
    message.fields(&mut |name, value| fields.push((name, value)));
    assert_eq!(fields, expected);
    // The message above has exactly the length of its type.
    assert!(Message::decode(&bytes[..bytes.len() - 1]).is_err());
}

#[test]
fn system_event() {
    golden(b'S', "system_event", "51", &[("event_code", code("Q"))]);
}

#[test]
fn stock_directory() {
    golden(
        b'R',
        "stock_directory",
        "STOCK 51 4e 00010203 59 43 5a21 50 4e 20 32 59 04050607 4e",
        &[
            stock(),
            ("market_category", code("Q")),
            ("financial_status_indicator", code("N")),
            ("round_lot_size", int(66_051)),
            ("round_lots_only", code("Y")),
            ("issue_classification", code("C")),
            ("issue_sub_type", FieldValue::Text2(padded("Z!"))),
            ("authenticity", code("P")),
            ("short_sale_threshold_indicator", code("N")),
            ("ipo_flag", code(" ")),
            ("luld_ref", code("2")),
            ("etp_flag", code("Y")),
            ("etp_leverage_factor", int(67_438_087)),
            ("inverse_indicator", code("N")),
        ],
    );
}

#[test]
fn stock_trading_action() {
    golden(
        b'H',
        "stock_trading_action",
        "STOCK 50 20 4c554450",
        &[
            stock(),
            ("trading_state", code("P")),
            ("reserved", code(" ")),
            ("reason", text4("LUDP")),
        ],
    );
}

#[test]
fn reg_sho_restriction() {
    golden(b'Y', "reg_sho_restriction", "STOCK 31", &[stock(), ("reg_sho_action", code("1"))]);
}

#[test]
fn market_participant_position() {
    golden(
        b'L',
        "market_participant_position",
        "4d4d4944 STOCK 59 4e 41",
        &[
            ("mpid", text4("MMID")),
            stock(),
            ("primary_market_maker", code("Y")),
            ("market_maker_mode", code("N")),
            ("market_participant_state", code("A")),
        ],
    );
}

#[test]
fn mwcb_decline_level() {
    golden(
        b'V',
        "mwcb_decline_level",
        "0000007048860ddf 0000006048860ddf 00000000075bcd15",
        &[
            ("level1", price("4822.53082079")),
            ("level2", price("4135.33605343")),
            ("level3", price("1.23456789")),
        ],
    );
}

#[test]
fn mwcb_status() {
    golden(b'W', "mwcb_status", "33", &[("breached_level", code("3"))]);
}

#[test]
fn ipo_quoting_period_update() {
    golden(
        b'K',
        "ipo_quoting_period_update",
        "STOCK 00008598 41 0003d090",
        &[
            stock(),
            ("ipo_release_time_s", int(34_200)),
            ("ipo_release_qualifier", code("A")),
            ("ipo_price", price("25")),
        ],
    );
}

#[test]
fn luld_auction_collar() {
    golden(
        b'J',
        "luld_auction_collar",
        "STOCK 000186a1 0001adb2 00015f93 01020304",
        &[
            stock(),
            ("auction_collar_reference_price", price("10.0001")),
            ("upper_auction_collar_price", price("11.0002")),
            ("lower_auction_collar_price", price("9.0003")),
            ("auction_collar_extension", int(16_909_060)),
        ],
    );
}

#[test]
fn operational_halt() {
    golden(
        b'h',
        "operational_halt",
        "STOCK 42 48",
        &[stock(), ("market_code", code("B")), ("operational_halt_action", code("H"))],
    );
}

#[test]
fn add_order() {
    golden(
        b'A',
        "add_order",
        "0102030405060708 53 0a0b0c0d STOCK 77359400",
        &[
            ("order_reference_number", int(72_623_859_790_382_856)),
            ("buy_sell_indicator", code("S")),
            ("shares", int(168_496_141)),
            stock(),
            ("price", price("200000")),
        ],
    );
}

#[test]
fn add_order_mpid() {
    golden(
        b'F',
        "add_order_mpid",
        "0102030405060708 42 0a0b0c0d STOCK 00000001 56495254",
        &[
            ("order_reference_number", int(72_623_859_790_382_856)),
            ("buy_sell_indicator", code("B")),
            ("shares", int(168_496_141)),
            stock(),
            ("price", price("0.0001")),
            ("attribution", text4("VIRT")),
        ],
    );
}

#[test]
fn order_executed() {
    golden(
        b'E',
        "order_executed",
        "0102030405060708 0a0b0c0d 1112131415161718",
        &[
            ("order_reference_number", int(72_623_859_790_382_856)),
            ("executed_shares", int(168_496_141)),
            ("match_number", int(1_230_066_625_199_609_624)),
        ],
    );
}

#[test]
fn order_executed_with_price() {
    golden(
        b'C',
        "order_executed_with_price",
        "0102030405060708 0a0b0c0d 1112131415161718 4e 000186a1",
        &[
            ("order_reference_number", int(72_623_859_790_382_856)),
            ("executed_shares", int(168_496_141)),
            ("match_number", int(1_230_066_625_199_609_624)),
            ("printable", code("N")),
            ("execution_price", price("10.0001")),
        ],
    );
}

#[test]
fn order_cancel() {
    golden(
        b'X',
        "order_cancel",
        "0102030405060708 0a0b0c0d",
        &[
            ("order_reference_number", int(72_623_859_790_382_856)),
            ("cancelled_shares", int(168_496_141)),
        ],
    );
}

#[test]
fn order_delete() {
    let reference = ("order_reference_number", int(72_623_859_790_382_856));
    golden(b'D', "order_delete", "0102030405060708", &[reference]);
}

#[test]
fn order_replace() {
    golden(
        b'U',
        "order_replace",
        "0102030405060708 1112131415161718 0a0b0c0d 000186a1",
        &[
            ("order_reference_number", int(72_623_859_790_382_856)),
            ("new_order_reference_number", int(1_230_066_625_199_609_624)),
            ("shares", int(168_496_141)),
            ("price", price("10.0001")),
        ],
    );
}

#[test]
fn trade_non_cross() {
    golden(
        b'P',
        "trade_non_cross",
        "0102030405060708 42 0a0b0c0d STOCK 000186a1 1112131415161718",
        &[
            ("order_reference_number", int(72_623_859_790_382_856)),
            ("buy_sell_indicator", code("B")),
            ("shares", int(168_496_141)),
            stock(),
            ("price", price("10.0001")),
            ("match_number", int(1_230_066_625_199_609_624)),
        ],
    );
}

#[test]
fn cross_trade() {
    golden(
        b'Q',
        "cross_trade",
        "0102030405060708 STOCK 000186a1 1112131415161718 4f",
        &[
            ("shares", int(72_623_859_790_382_856)),
            stock(),
            ("cross_price", price("10.0001")),
            ("match_number", int(1_230_066_625_199_609_624)),
            ("cross_type", code("O")),
        ],
    );
}

#[test]
fn broken_trade() {
    let broken = ("match_number", int(1_230_066_625_199_609_624));
    golden(b'B', "broken_trade", "1112131415161718", &[broken]);
}

#[test]
fn net_order_imbalance() {
    golden(
        b'I',
        "net_order_imbalance",
        "0102030405060708 1112131415161718 53 STOCK 000186a1 0001adb2 00015f93 43 4c",
        &[
            ("paired_shares", int(72_623_859_790_382_856)),
            ("imbalance_shares", int(1_230_066_625_199_609_624)),
            ("imbalance_direction", code("S")),
            stock(),
            ("far_price", price("10.0001")),
            ("near_price", price("11.0002")),
            ("current_reference_price", price("9.0003")),
            ("cross_type", code("C")),
            ("variation_indicator", code("L")),
        ],
    );
}

#[test]
fn retail_price_improvement() {
    golden(b'N', "retail_price_improvement", "STOCK 41", &[stock(), ("interest_flag", code("A"))]);
}

#[test]
fn direct_listing_price_discovery() {
    golden(
        b'O',
        "direct_listing_price_discovery",
        "STOCK 59 000186a1 0001adb2 00015f93 00001f1aced9f002 00018704 000186a0",
        &[
            stock(),
            ("open_eligibility_status", code("Y")),
            ("minimum_allowable_price", price("10.0001")),
            ("maximum_allowable_price", price("11.0002")),
            ("near_execution_price", price("9.0003")),
            ("near_execution_time_ns", int(34_200_000_000_002)),
            ("lower_price_range_collar", price("10.01")),
            ("upper_price_range_collar", price("10")),
        ],
    );
}
