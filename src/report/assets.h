/* The files under reports/, built into the program (assets.py). */
#ifndef TN_REPORT_ASSETS_H
#define TN_REPORT_ASSETS_H

#include <stddef.h>

struct tn_asset {
	const char *text; /* ASCII, NUL-terminated */
	size_t len;
	const char *sha256; /* base64: the hash that a content security policy names */
};

extern const struct tn_asset tn_asset_page_html;
extern const struct tn_asset tn_asset_diff_html;
extern const struct tn_asset tn_asset_page_css;
extern const struct tn_asset tn_asset_page_data_js;
extern const struct tn_asset tn_asset_page_region_js;
extern const struct tn_asset tn_asset_page_timeline_js;
extern const struct tn_asset tn_asset_page_tables_js;
extern const struct tn_asset tn_asset_page_js;
extern const struct tn_asset tn_asset_timeline_css;

#endif
