//! The list of relations, with the names of their kernels.

/// Kernels of all relations, a line for each. `rows` counts and writes rows (`count`, `write`), `prepare` makes tables
/// and writes rows from them (`prepare`, `write_prepared`), and `gather` sums up over the relations of a volume.
/// Relations that are stored in any case have nothing to prepare; the walks of fans are only ever prepared.
macro_rules! relation_kernels {
    ($kernels:ident) => {
        $crate::query::relation_kernels! { @$kernels
            VV: rows(count_vv, write_vv) prepare(prepare_vv, write_prepared_vv) gather(gather_vv);
            VE: rows(count_ve, write_ve) prepare(prepare_ve, write_prepared_ve) gather(gather_ve);
            VF: rows(count_vf, write_vf) prepare(prepare_vf, write_prepared_vf) gather(gather_vf);
            EV: rows(count_ev, write_ev) gather(gather_ev);
            EF: rows(count_ef, write_ef) prepare(prepare_ef, write_prepared_ef) gather(gather_ef);
            EEThroughFaces: rows(count_ee, write_ee) prepare(prepare_ee, write_prepared_ee);
            FV: rows(count_fv, write_fv) prepare(prepare_fv, write_prepared_fv) gather(gather_fv);
            FE: rows(count_fe, write_fe) gather(gather_fe);
            FF: rows(count_ff, write_ff) prepare(prepare_ff, write_prepared_ff) gather(gather_ff);
            Diamond: rows(count_diamond, write_diamond) prepare(prepare_diamond, write_prepared_diamond);
            Corners: rows(count_corners, write_corners) prepare(prepare_corners, write_prepared_corners);
            Fans: prepare(prepare_fans);
            OrientedVV: rows(count_oriented_vv, write_oriented_vv)
                prepare(prepare_oriented_vv, write_prepared_oriented_vv);
            OrientedVE: rows(count_oriented_ve, write_oriented_ve) prepare(prepare_oriented_ve);
            OrientedVF: rows(count_oriented_vf, write_oriented_vf) prepare(prepare_oriented_vf);
            VC: rows(count_vc, write_vc) prepare(prepare_vc, write_prepared_vc) gather(gather_vc);
            EC: rows(count_ec, write_ec) prepare(prepare_ec, write_prepared_ec) gather(gather_ec);
            EE: rows(count_ee_at_ends, write_ee_at_ends)
                prepare(prepare_ee_at_ends, write_prepared_ee_at_ends) gather(gather_ee);
            FC: rows(count_fc, write_fc) prepare(prepare_fc, write_prepared_fc) gather(gather_fc);
            CV: rows(count_cv, write_cv) gather(gather_cv);
            CE: rows(count_ce, write_ce) gather(gather_ce);
            CF: rows(count_cf, write_cf) gather(gather_cf);
            CC: rows(count_cc, write_cc) prepare(prepare_cc, write_prepared_cc) gather(gather_cc);
        }
    };
    (@rows $($relation:ident:
        $(rows($count:ident, $write:ident))?
        $(prepare($prepare:ident $(, $copy:ident)?))?
        $(gather($gather:ident))?;
    )*) => {
        kernel_list! {$($(
            patch $count: CountRows<$crate::query::$relation>;
            patch $write: WriteRows<$crate::query::$relation>;
        )?)*}
    };
    (@prepare $($relation:ident:
        $(rows($count:ident, $write:ident))?
        $(prepare($prepare:ident $(, $copy:ident)?))?
        $(gather($gather:ident))?;
    )*) => {
        kernel_list! {$($(
            prepare $prepare: $crate::query::$relation;
            $(patch $copy: WritePrepared<$crate::query::$relation>;)?
        )?)*}
    };
    (@gather $($relation:ident:
        $(rows($count:ident, $write:ident))?
        $(prepare($prepare:ident $(, $copy:ident)?))?
        $(gather($gather:ident))?;
    )*) => {
        kernel_list! {$($(
            prepared $gather: Gather<$crate::query::$relation>;
        )?)*}
    };
}
pub(crate) use relation_kernels;
