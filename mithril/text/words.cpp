#include "mithril/text/words.hpp"

#include <algorithm>
#include <iterator>

namespace mithril {
namespace {

// Each letter, and the small letter without accents.
// clang-format off
constexpr std::u32string_view plain_letters =
    U"ÀaÁaÂaÃaÄaÅaÆæÇcÈeÉeÊeËeÌiÍiÎiÏiÐðÑnÒoÓoÔoÕoÖoØøÙuÚuÛuÜuÝyÞþàaáaâaãaäaåaçcèe"
    U"éeêeëeìiíiîiïiñnòoóoôoõoöoùuúuûuüuýyÿyĀaāaĂaăaĄaąaĆcćcĈcĉcĊcċcČcčcĎdďdĐđĒeēe"
    U"ĔeĕeĖeėeĘeęeĚeěeĜgĝgĞgğgĠgġgĢgģgĤhĥhĦħĨiĩiĪiīiĬiĭiĮiįiİiĲĳĴjĵjĶkķkĹlĺlĻlļlĽl"
    U"ľlĿŀŁłŃnńnŅnņnŇnňnŊŋŌoōoŎoŏoŐoőoŒœŔrŕrŖrŗrŘrřrŚsśsŜsŝsŞsşsŠsšsŢtţtŤtťtŦŧŨuũu"
    U"ŪuūuŬuŭuŮuůuŰuűuŲuųuŴwŵwŶyŷyŸyŹzźzŻzżzŽzžzƁɓƂƃƄƅƆɔƇƈƉɖƊɗƋƌƎǝƏəƐɛƑƒƓɠƔɣƖɩƗɨƘƙ"
    U"ƜɯƝɲƟɵƠoơoƢƣƤƥƦʀƧƨƩʃƬƭƮʈƯuưuƱʊƲʋƳƴƵƶƷʒƸƹƼƽǄǆǅǆǇǉǈǉǊǌǋǌǍaǎaǏiǐiǑoǒoǓuǔuǕuǖuǗu"
    U"ǘuǙuǚuǛuǜuǞaǟaǠaǡaǢæǣæǤǥǦgǧgǨkǩkǪoǫoǬoǭoǮʒǯʒǰjǱǳǲǳǴgǵgǶƕǷƿǸnǹnǺaǻaǼæǽæǾøǿøȀa"
    U"ȁaȂaȃaȄeȅeȆeȇeȈiȉiȊiȋiȌoȍoȎoȏoȐrȑrȒrȓrȔuȕuȖuȗuȘsșsȚtțtȜȝȞhȟhȠƞȢȣȤȥȦaȧaȨeȩeȪo"
    U"ȫoȬoȭoȮoȯoȰoȱoȲyȳyȺⱥȻȼȽƚȾⱦɁɂɃƀɄʉɅʌɆɇɈɉɊɋɌɍɎɏͰͱͲͳʹʹͶͷ;;Ϳϳ΅¨Άα··ΈεΉηΊιΌοΎυΏωΐι"
    U"ΑαΒβΓγΔδΕεΖζΗηΘθΙιΚκΛλΜμΝνΞξΟοΠπΡρΣσΤτΥυΦφΧχΨψΩωΪιΫυάαέεήηίιΰυϊιϋυόούυώωϏϗϓϒ"
    U"ϔϒϘϙϚϛϜϝϞϟϠϡϢϣϤϥϦϧϨϩϪϫϬϭϮϯϴθϷϸϹϲϺϻϽͻϾͼϿͽЀеЁеЂђЃгЄєЅѕІіЇіЈјЉљЊњЋћЌкЍиЎуЏџАаБб"
    U"ВвГгДдЕеЖжЗзИиЙиКкЛлМмНнОоПпРрСсТтУуФфХхЦцЧчШшЩщЪъЫыЬьЭэЮюЯяйиѐеёеѓгїіќкѝиўу"
    U"ѠѡѢѣѤѥѦѧѨѩѪѫѬѭѮѯѰѱѲѳѴѵѶѵѷѵѸѹѺѻѼѽѾѿҀҁҊҋҌҍҎҏҐґҒғҔҕҖҗҘҙҚқҜҝҞҟҠҡҢңҤҥҦҧҨҩҪҫҬҭҮүҰұ"
    U"ҲҳҴҵҶҷҸҹҺһҼҽҾҿӀӏӁжӂжӃӄӅӆӇӈӉӊӋӌӍӎӐаӑаӒаӓаӔӕӖеӗеӘәӚәӛәӜжӝжӞзӟзӠӡӢиӣиӤиӥиӦоӧоӨө"
    U"ӪөӫөӬэӭэӮуӯуӰуӱуӲуӳуӴчӵчӶӷӸыӹыӺӻӼӽӾӿԀԁԂԃԄԅԆԇԈԉԊԋԌԍԎԏԐԑԒԓԔԕԖԗԘԙԚԛԜԝԞԟԠԡԢԣԤԥԦԧ"
    U"ԨԩԪԫԬԭԮԯḀaḁaḂbḃbḄbḅbḆbḇbḈcḉcḊdḋdḌdḍdḎdḏdḐdḑdḒdḓdḔeḕeḖeḗeḘeḙeḚeḛeḜeḝeḞfḟfḠgḡg"
    U"ḢhḣhḤhḥhḦhḧhḨhḩhḪhḫhḬiḭiḮiḯiḰkḱkḲkḳkḴkḵkḶlḷlḸlḹlḺlḻlḼlḽlḾmḿmṀmṁmṂmṃmṄnṅnṆnṇn"
    U"ṈnṉnṊnṋnṌoṍoṎoṏoṐoṑoṒoṓoṔpṕpṖpṗpṘrṙrṚrṛrṜrṝrṞrṟrṠsṡsṢsṣsṤsṥsṦsṧsṨsṩsṪtṫtṬtṭt"
    U"ṮtṯtṰtṱtṲuṳuṴuṵuṶuṷuṸuṹuṺuṻuṼvṽvṾvṿvẀwẁwẂwẃwẄwẅwẆwẇwẈwẉwẊxẋxẌxẍxẎyẏyẐzẑzẒzẓz"
    U"ẔzẕzẖhẗtẘwẙyẛſẞßẠaạaẢaảaẤaấaẦaầaẨaẩaẪaẫaẬaậaẮaắaẰaằaẲaẳaẴaẵaẶaặaẸeẹeẺeẻeẼeẽe"
    U"ẾeếeỀeềeỂeểeỄeễeỆeệeỈiỉiỊiịiỌoọoỎoỏoỐoốoỒoồoỔoổoỖoỗoỘoộoỚoớoỜoờoỞoởoỠoỡoỢoợo"
    U"ỤuụuỦuủuỨuứuỪuừuỬuửuỮuữuỰuựuỲyỳyỴyỵyỶyỷyỸyỹyỺỻỼỽỾỿ";
// clang-format on

struct CodeRange {
  char32_t first, last;
};

// Those of the tokenizer, which follows Unicode 8.
constexpr CodeRange other_punctuation[] = {
    {0xA1, 0xA1},       {0xA7, 0xA7},       {0xAB, 0xAB},       {0xB6, 0xB7},
    {0xBB, 0xBB},       {0xBF, 0xBF},       {0x37E, 0x37E},     {0x387, 0x387},
    {0x55A, 0x55F},     {0x589, 0x58A},     {0x5BE, 0x5BE},     {0x5C0, 0x5C0},
    {0x5C3, 0x5C3},     {0x5C6, 0x5C6},     {0x5F3, 0x5F4},     {0x609, 0x60A},
    {0x60C, 0x60D},     {0x61B, 0x61B},     {0x61E, 0x61F},     {0x66A, 0x66D},
    {0x6D4, 0x6D4},     {0x700, 0x70D},     {0x7F7, 0x7F9},     {0x830, 0x83E},
    {0x85E, 0x85E},     {0x964, 0x965},     {0x970, 0x970},     {0xAF0, 0xAF0},
    {0xDF4, 0xDF4},     {0xE4F, 0xE4F},     {0xE5A, 0xE5B},     {0xF04, 0xF12},
    {0xF14, 0xF14},     {0xF3A, 0xF3D},     {0xF85, 0xF85},     {0xFD0, 0xFD4},
    {0xFD9, 0xFDA},     {0x104A, 0x104F},   {0x10FB, 0x10FB},   {0x1360, 0x1368},
    {0x1400, 0x1400},   {0x166D, 0x166E},   {0x169B, 0x169C},   {0x16EB, 0x16ED},
    {0x1735, 0x1736},   {0x17D4, 0x17D6},   {0x17D8, 0x17DA},   {0x1800, 0x180A},
    {0x1944, 0x1945},   {0x1A1E, 0x1A1F},   {0x1AA0, 0x1AA6},   {0x1AA8, 0x1AAD},
    {0x1B5A, 0x1B60},   {0x1BFC, 0x1BFF},   {0x1C3B, 0x1C3F},   {0x1C7E, 0x1C7F},
    {0x1CC0, 0x1CC7},   {0x1CD3, 0x1CD3},   {0x2010, 0x2027},   {0x2030, 0x2043},
    {0x2045, 0x2051},   {0x2053, 0x205E},   {0x207D, 0x207E},   {0x208D, 0x208E},
    {0x2308, 0x230B},   {0x2329, 0x232A},   {0x2768, 0x2775},   {0x27C5, 0x27C6},
    {0x27E6, 0x27EF},   {0x2983, 0x2998},   {0x29D8, 0x29DB},   {0x29FC, 0x29FD},
    {0x2CF9, 0x2CFC},   {0x2CFE, 0x2CFF},   {0x2D70, 0x2D70},   {0x2E00, 0x2E2E},
    {0x2E30, 0x2E42},   {0x3001, 0x3003},   {0x3008, 0x3011},   {0x3014, 0x301F},
    {0x3030, 0x3030},   {0x303D, 0x303D},   {0x30A0, 0x30A0},   {0x30FB, 0x30FB},
    {0xA4FE, 0xA4FF},   {0xA60D, 0xA60F},   {0xA673, 0xA673},   {0xA67E, 0xA67E},
    {0xA6F2, 0xA6F7},   {0xA874, 0xA877},   {0xA8CE, 0xA8CF},   {0xA8F8, 0xA8FA},
    {0xA8FC, 0xA8FC},   {0xA92E, 0xA92F},   {0xA95F, 0xA95F},   {0xA9C1, 0xA9CD},
    {0xA9DE, 0xA9DF},   {0xAA5C, 0xAA5F},   {0xAADE, 0xAADF},   {0xAAF0, 0xAAF1},
    {0xABEB, 0xABEB},   {0xFD3E, 0xFD3F},   {0xFE10, 0xFE19},   {0xFE30, 0xFE61},
    {0xFE63, 0xFE63},   {0xFE68, 0xFE68},   {0xFE6A, 0xFE6B},   {0xFF01, 0xFF03},
    {0xFF05, 0xFF0A},   {0xFF0C, 0xFF0F},   {0xFF1A, 0xFF1B},   {0xFF1F, 0xFF20},
    {0xFF3B, 0xFF3D},   {0xFF3F, 0xFF3F},   {0xFF5B, 0xFF5B},   {0xFF5D, 0xFF5D},
    {0xFF5F, 0xFF65},   {0x10100, 0x10102}, {0x1039F, 0x1039F}, {0x103D0, 0x103D0},
    {0x1056F, 0x1056F}, {0x10857, 0x10857}, {0x1091F, 0x1091F}, {0x1093F, 0x1093F},
    {0x10A50, 0x10A58}, {0x10A7F, 0x10A7F}, {0x10AF0, 0x10AF6}, {0x10B39, 0x10B3F},
    {0x10B99, 0x10B9C}, {0x11047, 0x1104D}, {0x110BB, 0x110BC}, {0x110BE, 0x110C1},
    {0x11140, 0x11143}, {0x11174, 0x11175}, {0x111C5, 0x111C9}, {0x111CD, 0x111CD},
    {0x111DB, 0x111DB}, {0x111DD, 0x111DF}, {0x11238, 0x1123D}, {0x112A9, 0x112A9},
    {0x114C6, 0x114C6}, {0x115C1, 0x115D7}, {0x11641, 0x11643}, {0x1173C, 0x1173E},
    {0x12470, 0x12474}, {0x16A6E, 0x16A6F}, {0x16AF5, 0x16AF5}, {0x16B37, 0x16B3B},
    {0x16B44, 0x16B44}, {0x1BC9F, 0x1BC9F}, {0x1DA87, 0x1DA8B}};
constexpr CodeRange ideographs[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                                    {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F},
                                    {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};

template <std::size_t count>
bool is_in(const CodeRange (&ranges)[count], char32_t c) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const CodeRange& range) { return range.first <= c && c <= range.last; });
}

bool is_space(char32_t c) {
  return c == ' ' || (c >= 9 && c <= 13) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_punctuation(char32_t c) {
  if (c >= 0x80) return is_in(other_punctuation, c);
  return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
         (c >= 123 && c <= 126);
}

constexpr CodeRange left_out[] = {
    // control and formatting characters
    {0x0, 0x1F},
    {0x7F, 0x9F},
    {0xAD, 0xAD},
    {0x200B, 0x200F},
    {0x202A, 0x202E},
    {0x2060, 0x206F},
    {0xE000, 0xF8FF},
    {0xFEFF, 0xFEFF},
    {0xFFFD, 0xFFFD},
    // combining marks
    {0x300, 0x36F},
    {0x483, 0x487},
    {0x20D0, 0x20DC},
    {0xFE00, 0xFE0F}};

char32_t plain_letter(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  for (std::size_t i = 0; i < plain_letters.size(); i += 2) {
    if (plain_letters[i] == c) return plain_letters[i + 1];
  }
  return c;
}

std::u32string code_points(std::string_view utf8) {
  std::u32string text;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    if (length > utf8.size() - i) break;
    char32_t c = length == 1 ? byte : byte & (0x7Fu >> length);
    for (std::size_t k = 1; k < length; ++k) {
      c = c << 6 | (static_cast<unsigned char>(utf8[i + k]) & 0x3Fu);
    }
    text += c;
    i += length;
  }
  return text;
}

}  // namespace

std::string utf8_of(std::u32string_view text) {
  std::string utf8;
  for (const char32_t c : text) {
    const auto add = [&](char32_t byte) { utf8 += static_cast<char>(byte); };
    if (c < 0x80) {
      add(c);
      continue;
    }
    if (c < 0x800) {
      add(0xC0 | c >> 6);
    } else if (c < 0x10000) {
      add(0xE0 | c >> 12);
      add(0x80 | (c >> 6 & 0x3F));
    } else {
      add(0xF0 | c >> 18);
      add(0x80 | (c >> 12 & 0x3F));
      add(0x80 | (c >> 6 & 0x3F));
    }
    add(0x80 | (c & 0x3F));
  }
  return utf8;
}

std::vector<std::u32string> bert_words(std::string_view text) {
  std::vector<std::u32string> found;
  bool in_word = false;
  for (const char32_t c : code_points(text)) {
    if (is_space(c)) {
      in_word = false;
    } else if (!is_in(left_out, c)) {
      const bool is_alone = is_punctuation(c) || is_in(ideographs, c);
      if (is_alone || !in_word) found.emplace_back();
      found.back() += plain_letter(c);
      in_word = !is_alone;
    }
  }
  return found;
}

}  // namespace mithril
