#include "suite.h"

#include <stdio.h>
#include <string.h>

#include <jansson.h>
#include <libxml/HTMLparser.h>
#include <libxml/xpath.h>

#include "report/assets.h"
#include "report/html.h"
#include "report/svg.h"
#include "report_sample.h"

static const char hostile[] =
	"</script></style></title><img src=x onerror=alert(1)>]]>--> "
	"\"'`<!--<svg/onload=1>"
	"\x1b[31m\r\n \xff \xe2\x80\xae javascript:alert(1) &lt;b&gt; {{x}}";

/* The page as another reader of HTML sees it. */
struct page {
	struct sample s;
	struct tn_strbuf text;
	htmlDocPtr doc;
	xmlXPathContextPtr xpath;
};

static void page_write(struct page *p)
{
	tn_strbuf_init(&p->text);
	ck_assert_int_eq(tn_html_write(&p->s.view, &p->text), TN_OK);
	p->doc = htmlReadMemory(p->text.text, (int)p->text.len, NULL, "UTF-8",
		HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET);
	ck_assert_ptr_nonnull(p->doc);
	p->xpath = xmlXPathNewContext(p->doc);
}

static void page_release(struct page *p)
{
	xmlXPathFreeContext(p->xpath);
	xmlFreeDoc(p->doc);
	tn_strbuf_release(&p->text);
	sample_release(&p->s);
}

static int count(const struct page *p, const char *xpath)
{
	xmlXPathObjectPtr found = xmlXPathEval((const xmlChar *)xpath, p->xpath);
	int n;

	ck_assert_msg(found != NULL, "%s", xpath);
	n = found->nodesetval ? found->nodesetval->nodeNr : 0;
	xmlXPathFreeObject(found);
	return n;
}

/* The string value of the first node. */
static const char *value(const struct page *p, const char *xpath)
{
	static char text[65536];
	xmlXPathObjectPtr found = xmlXPathEval((const xmlChar *)xpath, p->xpath);
	xmlChar *content;

	ck_assert_msg(
		found && found->nodesetval && found->nodesetval->nodeNr, "%s", xpath);
	content = xmlNodeGetContent(found->nodesetval->nodeTab[0]);
	snprintf(text, sizeof(text), "%s", (const char *)content);
	xmlFree(content);
	xmlXPathFreeObject(found);
	return text;
}

static const struct {
	const char *xpath;
	int want;
} counts[] = {
	{ "//script", 6 },
	{ "//script[@type='application/json']", 1 },
	{ "//style", 2 },
	{ "//g[starts-with(@class, 'tl-box ')]/title", 11 },
	{ "//g[contains(@class, 'tl-input')]/title", 2 },
	{ "//g[contains(@class, 'tl-output')]/title", 1 },
	{ "//g[contains(@class, 'tl-scratch')]/title", 2 },
	{ "//g[contains(@class, 'tl-chain')]/title", 7 },
	{ "//g[@class='tl-overlaps']/rect", 6 },
	{ "//path[@class='tl-written']", 6 },
	{ "//path[@class='tl-unread']", 6 },
	{ "//g[@class='tl-views']/rect", 1 },
	{ "//rect[@class='tl-peak-op']", 1 },
	{ "//ul[@id='legend']/li", 10 }, /* all but state */
	{ "//*[@style]", 0 },
	{ "//@*[starts-with(name(), 'on')]", 0 },
	{ "//img | //iframe | //object | //link | //form", 0 },
	{ "//*[@src]", 0 },
	{ "//@href[not(starts-with(., '#'))]", 0 },
};

/* The same elements whatever the names are: names add text, never structure. */
START_TEST(elements_do_not_depend_on_names)
{
	static const char *const names[] = { NULL, hostile };

	for (size_t i = 0; i < 2; i++) {
		struct page p;

		sample_make(&p.s, names[i], names[i]);
		if (names[i])
			p.s.view.file = names[i];
		page_write(&p);
		ck_assert_msg(count(&p, counts[_i].xpath) == counts[_i].want,
			"%s: %d with %s names", counts[_i].xpath,
			count(&p, counts[_i].xpath), i ? "hostile" : "usual");
		page_release(&p);
	}
}
END_TEST

static const struct {
	const char *name;
	bool verified;
	const char *refusal;
	const char *class, *body, *says;
} verdicts[] = {
	{ "verified", true, NULL, "verdict verdict-good", "verified", "Verified" },
	{ "nobody looked", false, NULL, "verdict verdict-open", "", "Not verified" },
	{ "refused", false, "'add3' reads lost bytes", "verdict verdict-bad", "",
		"'add3' reads lost bytes" },
};

START_TEST(only_a_verified_plan_looks_good)
{
	struct page p;

	sample_make(&p.s, NULL, NULL);
	p.s.view.verified = verdicts[_i].verified;
	p.s.view.refusal = verdicts[_i].refusal;
	page_write(&p);
	ck_assert_str_eq(value(&p, "//*[@id='verdict']/@class"), verdicts[_i].class);
	ck_assert_ptr_nonnull(strstr(value(&p, "//*[@id='verdict']"), verdicts[_i].says));
	if (*verdicts[_i].body)
		ck_assert_str_eq(value(&p, "//body/@class"), verdicts[_i].body);
	else
		ck_assert_int_eq(count(&p, "//body[contains(@class, 'verified')]"), 0);
	/* nor does it claim to be optimal */
	ck_assert_msg(!strstr(value(&p, "//*[@id='figures']"), "is optimal") !=
			      verdicts[_i].verified,
		"%s", verdicts[_i].name);
	page_release(&p);
}
END_TEST

static const struct tn_asset *const scripts[] = { &tn_asset_page_data_js,
	&tn_asset_page_region_js, &tn_asset_page_timeline_js, &tn_asset_page_tables_js,
	&tn_asset_page_js };

START_TEST(policy_names_what_is_in_the_page)
{
	struct page p;
	char policy[2048];

	sample_make(&p.s, hostile, hostile);
	page_write(&p);
	snprintf(policy, sizeof(policy), "%s",
		value(&p, "//meta[@http-equiv='Content-Security-Policy']/@content"));
	ck_assert_ptr_nonnull(strstr(policy, "default-src 'none'"));
	ck_assert_ptr_null(strstr(policy, "unsafe"));
	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
		ck_assert_ptr_nonnull(strstr(policy, scripts[i]->sha256));
		ck_assert_ptr_nonnull(strstr(p.text.text, scripts[i]->text));
	}
	ck_assert_ptr_nonnull(strstr(policy, tn_asset_page_css.sha256));
	ck_assert_ptr_nonnull(strstr(policy, tn_asset_timeline_css.sha256));
	/* the hashes are of these very bytes: they must be in the page unchanged */
	ck_assert_ptr_nonnull(strstr(p.text.text, tn_asset_page_css.text));
	ck_assert_ptr_nonnull(strstr(p.text.text, tn_asset_timeline_css.text));
	page_release(&p);
}
END_TEST

START_TEST(page_is_ascii_and_repeatable)
{
	struct page p;
	struct tn_strbuf again;

	sample_make(&p.s,
		"gr\xc3\xb6\xc3\x9f"
		"e \xe5\xb1\xa4",
		NULL);
	page_write(&p);
	for (size_t i = 0; i < p.text.len; i++)
		ck_assert_int_lt((unsigned char)p.text.text[i], 0x80);
	tn_strbuf_init(&again);
	ck_assert_int_eq(tn_html_write(&p.s.view, &again), TN_OK);
	ck_assert_str_eq(p.text.text, again.text);
	ck_assert_ptr_nonnull(strstr(value(&p, "//g[@class='tl-boxes']/g[1]/title"),
		"gr\xc3\xb6\xc3\x9f"
		"e \xe5\xb1\xa4"));
	tn_strbuf_release(&again);
	page_release(&p);
}
END_TEST

/* Heights are to scale: 512 bytes of 2,048 are a quarter of the plot's 400 pixels. */
START_TEST(boxes_are_to_scale)
{
	struct page p;

	sample_make(&p.s, NULL, NULL);
	page_write(&p);
	ck_assert_str_eq(
		value(&p, "//g[title[starts-with(., 'relu1/out')]]/rect/@height"),
		"99.5");
	ck_assert_str_eq(
		value(&p, "//g[title[starts-with(., 'x:')]]/rect/@height"), "49.5");
	/* with numbers and constants below it the picture is 504 high */
	ck_assert_str_eq(value(&p, "//div[@id='static']//svg/@height"), "504");
	/* x lies at 352: its lower edge is 352 / 2048 * 400 above the ground at 426 */
	ck_assert_str_eq(value(&p, "//g[title[starts-with(., 'x:')]]/rect/@y"), "307.8");
	page_release(&p);
}
END_TEST

/* Nothing is lost or invented when a plan holds nonsense. */
START_TEST(page_survives_a_broken_plan)
{
	static const int64_t nonsense[] = { INT64_MIN, -1, 0, 1, INT64_MAX };

	for (int i = 0; i < 25; i++) {
		struct page p;
		json_t *data;

		sample_make(&p.s, NULL, NULL);
		p.s.view.verified = false;
		for (uint32_t t = 0; t < S_TENSORS; t++) {
			int k = i + (int)t;

			p.s.plan.tensors[t].offset = nonsense[k % 5];
			p.s.plan.tensors[t].bytes = nonsense[k / 5 % 5];
			p.s.plan.tensors[t].last = nonsense[(k + i) % 5];
		}
		p.s.plan.disjoint_bound_bytes = nonsense[i % 5];
		p.s.plan.bound_bytes = nonsense[i / 5 % 5];
		p.s.plan.activation_bytes = nonsense[(i + 2) % 5];
		page_write(&p);
		data = json_loads(value(&p, "//script[@id='data']"), 0, NULL);
		ck_assert_int_eq(json_integer_value(json_object_get(
					 json_object_get(data, "tensors"), "n")),
			13);
		json_decref(data);
		page_release(&p);
	}
}
END_TEST

START_TEST(page_of_an_empty_graph)
{
	struct page p;

	sample_make(&p.s, NULL, NULL);
	p.s.g.n_ops = p.s.g.n_tensors = 0;
	p.s.plan.n_ops = p.s.plan.n_tensors = 0;
	p.s.inplace.n = 0;
	page_write(&p);
	ck_assert_int_eq(count(&p, "//g[starts-with(@class, 'tl-box ')]/title"), 0);
	page_release(&p);
}
END_TEST

#define LOOP(tc, fn, table)                                                              \
	tcase_add_loop_test((tc), (fn), 0, (int)(sizeof(table) / sizeof(*(table))))

Suite *tn_test_suite(void)
{
	Suite *suite = suite_create("report_page");
	TCase *tc = tcase_create("page");

	LOOP(tc, elements_do_not_depend_on_names, counts);
	LOOP(tc, only_a_verified_plan_looks_good, verdicts);
	tcase_add_test(tc, policy_names_what_is_in_the_page);
	tcase_add_test(tc, page_is_ascii_and_repeatable);
	tcase_add_test(tc, boxes_are_to_scale);
	tcase_add_test(tc, page_survives_a_broken_plan);
	tcase_add_test(tc, page_of_an_empty_graph);
	suite_add_tcase(suite, tc);
	return suite;
}
