// Measures OpenMesh doing the work that RXMesh 2021 compares in Figure 8, the relations of its Table 2, and the
// subdivision of Mlakar's thesis (chapter 6). Prints a reference record (bench/README.md) to standard output.
//
// Build, with Debian's libopenmesh-dev:
//
//     g++ -std=c++17 -O3 -march=x86-64-v3 -fopenmp openmesh.cpp -lOpenMeshCore -lOpenMeshTools -o openmesh
//
// Debian's library is built for every x86-64 and with assertions, which cost time in the subdividers alone: the other
// rows use code of the headers. Objects of OpenMesh's src/OpenMesh/Core/{Mesh,System,Utils}/*.cc, built with `-O3
// -DNDEBUG`, take its place: `-DLIBRARY='"from source, -O3 -DNDEBUG"'` tells the record.
//
// Every walk around a vertex is OpenMesh's own circulator of outgoing half-edges; neighbours, faces and edges are read
// from those half-edges. Coordinates are `float`, as in OpenMesh's default traits. The text's program is not public:
// this is an independent one, which computes each edge vector once where that is possible.
//
// Exit codes: 0, 1 for a result that fails its check, 2 for bad input.

// OpenMesh's headers check every handle and every property's name otherwise.
#ifndef NDEBUG
#define NDEBUG
#endif

// Origin of OpenMesh's library, for the record.
#ifndef LIBRARY
#define LIBRARY "of the system"
#endif

#include <OpenMesh/Core/Mesh/PolyMesh_ArrayKernelT.hh>
#include <OpenMesh/Core/Mesh/TriMesh_ArrayKernelT.hh>
#include <OpenMesh/Core/System/config.h>
#include <OpenMesh/Tools/Subdivider/Uniform/CatmullClarkT.hh>
#include <OpenMesh/Tools/Subdivider/Uniform/LoopT.hh>

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <new>
#include <queue>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

using TriangleMesh = OpenMesh::TriMesh_ArrayKernelT<>;
using PolygonMesh = OpenMesh::PolyMesh_ArrayKernelT<>;
using OpenMesh::EdgeHandle;
using OpenMesh::FaceHandle;
using OpenMesh::HalfedgeHandle;
using OpenMesh::VertexHandle;
using Vec3 = OpenMesh::Vec3f;

constexpr float INF = std::numeric_limits<float>::infinity();
constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();

/// A file or an option that cannot be used: exit code 2.
struct BadInput : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A result that is wrong: exit code 1.
struct FailedCheck : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void check(bool holds, const std::string& what) {
    if (!holds) throw FailedCheck("check failed: " + what);
}

float dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vec3 cross(const Vec3& a, const Vec3& b) {
    return Vec3(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}

double dot_double(const Vec3& a, const Vec3& b) {
    return double(a[0]) * b[0] + double(a[1]) * b[1] + double(a[2]) * b[2];
}

bool is_finite(const Vec3& a) { return std::isfinite(a[0]) && std::isfinite(a[1]) && std::isfinite(a[2]); }

// Options.

struct Options {
    std::vector<std::string> files;
    std::string name;
    std::string machine;
    std::vector<int> subdivisions{0};
    std::vector<int> threads{1};
    std::vector<std::string> rows;
    int levels = 3;
    double most_faces = 30e6;
    bool polygons = false;
    std::vector<std::string> orders{"given"};
    int repeat = 11;
    double budget = 5.0;
    std::string command;

    /// Returns `true` if a row is to be measured.
    bool wants(const std::string& row) const {
        return rows.empty() || std::find(rows.begin(), rows.end(), row) != rows.end();
    }
};

const char* const QUERIES[] = {"vv", "ve", "vf", "fv", "fe", "ff", "ev", "ef"};
const char* const OTHERS[] = {"normals", "mcf-iteration", "filter-iteration", "geodesic", "loop", "catmull-clark"};

const char* const USAGE =
    "usage: openmesh FILE.obj... [options]\n"
    "  --name NAME        name of the mesh in the record (one file; default: the file's name without .obj)\n"
    "  --subdivide LIST   levels of Loop subdivision before measuring, each a mesh NAME_Lk (default 0)\n"
    "  --threads LIST     numbers of threads for rows that are parallel, as 1,16 (default 1)\n"
    "  --rows LIST        of normals, mcf-iteration, filter-iteration, geodesic, vv, ve, vf, fv, fe, ff, ev, ef,\n"
    "                     loop, catmull-clark (default: all; with --polygons: catmull-clark)\n"
    "  --order LIST       given, sorted (vertices along a Morton curve, faces by their smallest vertex; names of rows\n"
    "                     end in ', sorted'), or both as given,sorted (default given)\n"
    "  --polygons         faces of any size; measures catmull-clark alone\n"
    "  --levels N         most levels of the rows loop and catmull-clark (default 3)\n"
    "  --most-faces N     leaves out levels of these rows with a larger result (default 30000000)\n"
    "  --repeat N         most samples of a row (default 11)\n"
    "  --budget S         seconds after which a row stops, with at least three samples, or with the first one if that\n"
    "                     takes longer (default 5)\n"
    "  --machine TEXT     description of the machine (default: from /proc/cpuinfo)\n";

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
    return parts;
}

double parse_number(const std::string& option, const std::string& text, double least, double most) {
    size_t used = 0;
    double value = 0;
    try {
        value = std::stod(text, &used);
    } catch (const std::exception&) {
        used = 0;
    }
    if (used == 0 || used != text.size() || !(value >= least && value <= most)) {
        std::ostringstream message;
        message << option << ": '" << text << "' is not a number from " << least << " to " << most;
        throw BadInput(message.str());
    }
    return value;
}

int parse_integer(const std::string& option, const std::string& text, int least, int most) {
    double value = parse_number(option, text, least, most);
    if (value != std::floor(value)) throw BadInput(option + ": '" + text + "' is not a whole number");
    return int(value);
}

std::vector<int> parse_integers(const std::string& option, const std::string& text, int least, int most) {
    std::vector<int> values;
    for (const std::string& part : split(text)) values.push_back(parse_integer(option, part, least, most));
    if (values.empty()) throw BadInput(option + ": an empty list");
    return values;
}

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

Options parse_options(int count, char** words) {
    Options o;
    o.command = "openmesh";
    for (int i = 1; i < count; ++i) {
        std::string word = words[i];
        auto value = [&]() -> std::string {
            if (i + 1 >= count) throw BadInput(word + " needs a value");
            return words[++i];
        };
        if (word == "--help") {
            std::fputs(USAGE, stdout);
            std::exit(0);
        } else if (word == "--name") {
            o.name = value();
            if (o.name.empty() || o.name.find_first_of(" \t/") != std::string::npos) {
                throw BadInput("--name: an empty name, or one with a space or '/'");
            }
        } else if (word == "--machine") {
            o.machine = value();
        } else if (word == "--subdivide") {
            o.subdivisions = parse_integers(word, value(), 0, 10);
        } else if (word == "--threads") {
            o.threads = parse_integers(word, value(), 1, 1024);
        } else if (word == "--rows") {
            o.rows = split(value());
        } else if (word == "--levels") {
            o.levels = parse_integer(word, value(), 1, 10);
        } else if (word == "--most-faces") {
            o.most_faces = parse_number(word, value(), 1, 7e8);
        } else if (word == "--order") {
            o.orders = split(value());
        } else if (word == "--polygons") {
            o.polygons = true;
        } else if (word == "--repeat") {
            o.repeat = parse_integer(word, value(), 1, 100000);
        } else if (word == "--budget") {
            o.budget = parse_number(word, value(), 0, 1e6);
        } else if (word.rfind("--", 0) == 0) {
            throw BadInput("unknown option " + word + " (see --help)");
        } else {
            o.files.push_back(word);
        }
    }
    if (o.files.empty()) throw BadInput("no file is named (see --help)");
    if (!o.name.empty() && o.files.size() > 1) throw BadInput("--name goes with one file");
    for (const std::string& row : o.rows) {
        bool known = std::find(std::begin(QUERIES), std::end(QUERIES), row) != std::end(QUERIES) ||
                     std::find(std::begin(OTHERS), std::end(OTHERS), row) != std::end(OTHERS);
        if (!known) throw BadInput("--rows: there is no row '" + row + "'");
        if (o.polygons && row != "catmull-clark") throw BadInput("--polygons: row " + row + " needs triangles");
    }
    for (const std::string& order : o.orders) {
        if (order != "given" && order != "sorted") throw BadInput("--order: '" + order + "' is not given or sorted");
    }
    if (o.orders.empty()) throw BadInput("--order: an empty list");
    if (o.polygons && (o.orders != std::vector<std::string>{"given"} || o.subdivisions != std::vector<int>{0})) {
        throw BadInput("--polygons goes without --order and --subdivide");
    }
    for (int i = 1; i < count; ++i) {
        std::string word = words[i];
        if (word == "--machine") {
            ++i;
            continue;
        }
        o.command += " " + (std::find(o.files.begin(), o.files.end(), word) != o.files.end() ? file_name(word) : word);
    }
    return o;
}

// Files.

/// Vertices and faces of a file; the vertices of face `f` are `corners[starts[f] .. starts[f + 1]]`.
struct FileMesh {
    std::vector<Vec3> points;
    std::vector<int> corners;
    std::vector<size_t> starts{0};
    std::vector<size_t> lines;
};

FileMesh read_obj(const std::string& path, bool polygons) {
    std::ifstream file(path);
    if (!file) throw BadInput(path + ": cannot be opened");
    FileMesh mesh;
    size_t number = 0;
    auto fail = [&](const std::string& what) { throw BadInput(path + ":" + std::to_string(number) + ": " + what); };
    for (std::string line; std::getline(file, line);) {
        ++number;
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "v") {
            float x, y, z;
            if (!(words >> x >> y >> z)) fail("a vertex needs three finite numbers");
            mesh.points.emplace_back(x, y, z);
        } else if (kind == "f") {
            for (std::string corner; words >> corner;) {
                char* end = nullptr;
                long index = std::strtol(corner.c_str(), &end, 10);
                if (end == corner.c_str() || (*end != 0 && *end != '/')) fail("'" + corner + "' is not a vertex");
                long n = long(mesh.points.size()), v = index > 0 ? index - 1 : n + index;
                if (index == 0 || v < 0 || v >= n) fail("there is no vertex " + std::to_string(index));
                for (size_t k = mesh.starts.back(); k < mesh.corners.size(); ++k) {
                    if (mesh.corners[k] == int(v)) fail("the face has vertex " + std::to_string(index) + " twice");
                }
                mesh.corners.push_back(int(v));
            }
            size_t degree = mesh.corners.size() - mesh.starts.back();
            if (degree < 3) fail("a face needs three vertices");
            if (!polygons && degree != 3) {
                fail("a face with " + std::to_string(degree) + " vertices: triangles alone, or use --polygons");
            }
            mesh.starts.push_back(mesh.corners.size());
            mesh.lines.push_back(number);
        }
    }
    if (file.bad()) throw BadInput(path + ": cannot be read");
    if (mesh.lines.empty()) throw BadInput(path + ": no faces");
    return mesh;
}

template <class Mesh>
Mesh build_mesh(const FileMesh& file, const std::string& path) {
    Mesh mesh;
    mesh.reserve(file.points.size(), file.points.size() + file.lines.size() + 2, file.lines.size());
    for (const Vec3& p : file.points) mesh.add_vertex(p);
    std::vector<VertexHandle> corners;
    for (size_t f = 0; f < file.lines.size(); ++f) {
        corners.clear();
        for (size_t k = file.starts[f]; k < file.starts[f + 1]; ++k) corners.emplace_back(file.corners[k]);
        if (!mesh.add_face(corners).is_valid()) {
            throw BadInput(path + ":" + std::to_string(file.lines[f]) +
                           ": OpenMesh takes no face here: an edge has three faces, or two in the same direction, or "
                           "a vertex is not manifold");
        }
    }
    return mesh;
}

template <class Mesh>
size_t largest_valence(const Mesh& mesh) {
    size_t most = 0;
    for (size_t v = 0; v < mesh.n_vertices(); ++v) most = std::max<size_t>(most, mesh.valence(VertexHandle(int(v))));
    return most;
}

void subdivide_loop(TriangleMesh& mesh, int levels) {
    OpenMesh::Subdivider::Uniform::LoopT<TriangleMesh> loop;
    // OpenMesh reads beyond its table at larger valences.
    loop.init_weights(std::max<size_t>(50, largest_valence(mesh) + 1));
    check(loop(mesh, size_t(levels)), "OpenMesh's Loop subdivision");
}

/// Puts two zero bits between the lowest ten bits.
uint32_t spread(uint32_t v) {
    v = (v | v << 16) & 0x030000ff;
    v = (v | v << 8) & 0x0300f00f;
    v = (v | v << 4) & 0x030c30c3;
    return (v | v << 2) & 0x09249249;
}

/// Returns the mesh with its vertices along a Morton curve through the bounding box, and its faces by their smallest
/// vertex. OpenMesh numbers edges in the order of the faces.
TriangleMesh sorted_mesh(const TriangleMesh& mesh) {
    const size_t n = mesh.n_vertices();
    Vec3 low(INF, INF, INF), high(-INF, -INF, -INF);
    for (size_t v = 0; v < n; ++v) {
        low.minimize(mesh.point(VertexHandle(int(v))));
        high.maximize(mesh.point(VertexHandle(int(v))));
    }
    const float scale = 1023 / std::max((high - low).max(), std::numeric_limits<float>::min());
    std::vector<std::pair<uint32_t, int>> order(n);
    for (size_t v = 0; v < n; ++v) {
        const Vec3 p = (mesh.point(VertexHandle(int(v))) - low) * scale;
        order[v] = {spread(uint32_t(p[0])) | spread(uint32_t(p[1])) << 1 | spread(uint32_t(p[2])) << 2, int(v)};
    }
    std::sort(order.begin(), order.end());
    std::vector<int> rank(n);
    for (size_t i = 0; i < n; ++i) rank[size_t(order[i].second)] = int(i);
    std::vector<std::vector<VertexHandle>> faces(mesh.n_faces());
    for (size_t f = 0; f < faces.size(); ++f) {
        for (auto v = mesh.cfv_ccwiter(FaceHandle(int(f))); v.is_valid(); ++v) {
            faces[f].emplace_back(rank[size_t(v->idx())]);
        }
    }
    auto least = [](const std::vector<VertexHandle>& face) { return *std::min_element(face.begin(), face.end()); };
    std::stable_sort(faces.begin(), faces.end(), [&](const auto& a, const auto& b) { return least(a) < least(b); });
    TriangleMesh out;
    out.reserve(n, mesh.n_edges(), faces.size());
    for (const auto& [code, v] : order) out.add_vertex(mesh.point(VertexHandle(v)));
    for (const auto& face : faces) check(out.add_face(face).is_valid(), "a face of the sorted mesh");
    return out;
}

// Samples.

double now_ms() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

/// Returns the samples of `run`, which returns its time in milliseconds. The first run is the warm-up, unless it takes
/// longer than the budget.
std::vector<double> take_samples(const Options& o, const std::function<double()>& run) {
    double first = run();
    if (first > o.budget * 1e3) return {first};
    std::vector<double> samples;
    double start = now_ms();
    while (int(samples.size()) < o.repeat && (samples.size() < 3 || now_ms() - start < o.budget * 1e3)) {
        samples.push_back(run());
    }
    return samples;
}

std::vector<double> time_calls(const Options& o, const std::function<void()>& call) {
    return take_samples(o, [&] {
        double start = now_ms();
        call();
        return now_ms() - start;
    });
}

// Record.

struct Value {
    std::string mesh;
    size_t faces;
    std::vector<double> samples;
    int threads;
    std::vector<std::pair<std::string, double>> others;
};

struct Row {
    std::string name, counts;
    std::vector<Value> values;
};

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (unsigned char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c < 0x20) c = ' ';
        out += char(c);
    }
    return out + "\"";
}

std::string number(double x) {
    char text[64];
    std::snprintf(text, sizeof text, x == std::floor(x) ? "%.0f" : "%.6g", x);
    return text;
}

double median(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    size_t n = samples.size();
    return n % 2 == 1 ? samples[n / 2] : 0.5 * (samples[n / 2 - 1] + samples[n / 2]);
}

double load_average() {
    double load = 0;
    std::ifstream("/proc/loadavg") >> load;
    return load;
}

std::string machine() {
    std::ifstream file("/proc/cpuinfo");
    std::string model = "processor";
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos) {
            model = line.substr(line.find(": ") + 2);
            break;
        }
    }
    return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " hardware threads";
}

class Record {
  public:
    explicit Record(const Options& options) : options_(options), load_(load_average()) {}

    /// Adds the samples of a row on a mesh; the row's name ends in the order and the number of threads.
    void add(const std::string& name, const std::string& counts, Value value) {
        std::string full = sorted_ ? name + ", sorted" : name;
        if (value.threads != 1) full += ", " + std::to_string(value.threads) + " threads";
        std::fprintf(stderr, "%-44s %-16s %12.3f ms\n", full.c_str(), value.mesh.c_str(), median(value.samples));
        auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.name == full; });
        if (row == rows_.end()) row = rows_.insert(rows_.end(), Row{full, counts, {}});
        row->values.push_back(std::move(value));
    }

    /// Sets the order of the meshes that follow.
    void set_sorted(bool sorted) { sorted_ = sorted; }

    bool is_empty() const { return rows_.empty(); }

    void print() const {
        char date[16];
        std::time_t now = std::time(nullptr);
        std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
        std::string version = std::to_string(OM_VERSION >> 16 & 15) + "." + std::to_string(OM_VERSION >> 8 & 255);
        std::string host = options_.machine.empty() ? machine() : options_.machine;
        std::string build = "OpenMesh's library " LIBRARY "; driver: g++ " __VERSION__ ", OpenMP";
#ifdef __AVX2__
        build += ", AVX2";
#endif
#ifndef __OPTIMIZE__
        build += ", not optimised";
#endif
        std::printf("{\n  \"schema\": 1,\n  \"system\": \"OpenMesh\",\n  \"version\": %s,\n", quoted(version).c_str());
        std::printf("  \"engine\": \"cpu\",\n  \"date\": \"%s\",\n", date);
        std::printf("  \"machine\": {\"host\": %s, \"load_before\": %s, \"load_after\": %s},\n", quoted(host).c_str(),
                    number(load_).c_str(), number(load_average()).c_str());
        std::printf("  \"build\": %s,\n", quoted(build).c_str());
        std::printf("  \"meshes\": \"NAME_Lk: k Loop subdivisions of the file's mesh by OpenMesh; vertices in "
                    "OpenMesh's order\",\n");
        std::printf("  \"repeats\": \"medians after a warm-up of up to %d samples within %s seconds; one sample "
                    "where a run takes longer\",\n  \"rows\": [",
                    options_.repeat, number(options_.budget).c_str());
        for (size_t i = 0; i < rows_.size(); ++i) {
            const Row& row = rows_[i];
            std::printf("%s\n    {\n      \"name\": %s,\n      \"counts\": %s,\n", i == 0 ? "" : ",",
                        quoted(row.name).c_str(), quoted(row.counts).c_str());
            std::printf("      \"command\": %s,\n      \"unit\": \"ms\",\n      \"values\": [",
                        quoted(options_.command).c_str());
            for (size_t k = 0; k < row.values.size(); ++k) print_value(row.values[k], k == 0);
            std::printf("\n      ]\n    }");
        }
        std::printf("\n  ]\n}\n");
    }

  private:
    static void print_value(const Value& v, bool first) {
        auto [least, most] = std::minmax_element(v.samples.begin(), v.samples.end());
        std::printf("%s\n        {\"mesh\": %s, \"faces\": %zu, \"value\": %s", first ? "" : ",",
                    quoted(v.mesh).c_str(), v.faces, number(median(v.samples)).c_str());
        std::printf(", \"min\": %s, \"max\": %s, \"samples\": %zu, \"threads\": %d", number(*least).c_str(),
                    number(*most).c_str(), v.samples.size(), v.threads);
        for (const auto& [name, x] : v.others) std::printf(", %s: %s", quoted(name).c_str(), number(x).c_str());
        std::printf("}");
    }

    const Options& options_;
    double load_;
    bool sorted_ = false;
    std::vector<Row> rows_;
};

// Vertex normals (Max 1999).

/// Returns the term of the corner between the edges `a` and `b`: zero in a degenerate face.
Vec3 corner_normal(const Vec3& a, const Vec3& b) {
    float l = dot(a, a), m = dot(b, b);
    return l > 0 && m > 0 ? cross(a, b) * (1 / l) * (1 / m) : Vec3(0, 0, 0);
}

Vec3 unit_or_zero(const Vec3& a) {
    float l = dot(a, a);
    return l > 0 && l < INF ? a * (1 / std::sqrt(l)) : Vec3(0, 0, 0);
}

/// Computes the unit normal of each vertex, walking around it clockwise: the face of a spoke lies between it and the
/// spoke before.
void compute_normals(const TriangleMesh& mesh, std::vector<Vec3>& normals) {
    const int n = int(mesh.n_vertices());
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i) {
        VertexHandle v(i);
        const Vec3 x = mesh.point(v);
        Vec3 sum(0, 0, 0), first(0, 0, 0), before(0, 0, 0);
        bool begun = false, closed = false;
        for (auto h = mesh.cvoh_cwiter(v); h.is_valid(); ++h) {
            const Vec3 here = mesh.point(mesh.to_vertex_handle(*h)) - x;
            const bool face = !mesh.is_boundary(HalfedgeHandle(*h));
            if (!begun) {
                first = here, closed = face, begun = true;
            } else if (face) {
                sum += corner_normal(here, before);
            }
            before = here;
        }
        if (closed) sum += corner_normal(first, before);
        normals[size_t(i)] = unit_or_zero(sum);
    }
}

/// Checks normals against those that faces add to their vertices.
void check_normals(const TriangleMesh& mesh, const std::vector<Vec3>& normals) {
    std::vector<Vec3> sums(mesh.n_vertices(), Vec3(0, 0, 0));
    for (size_t f = 0; f < mesh.n_faces(); ++f) {
        int v[3], k = 0;
        for (auto c = mesh.cfv_ccwiter(FaceHandle(int(f))); c.is_valid(); ++c) v[k++] = c->idx();
        for (k = 0; k < 3; ++k) {
            const Vec3 x = mesh.point(VertexHandle(v[k]));
            sums[size_t(v[k])] += corner_normal(mesh.point(VertexHandle(v[(k + 1) % 3])) - x,
                                                mesh.point(VertexHandle(v[(k + 2) % 3])) - x);
        }
    }
    size_t zeros = 0, others = 0;
    for (size_t i = 0; i < normals.size(); ++i) {
        float l = dot(normals[i], normals[i]);
        zeros += l == 0;
        check(l == 0 || std::abs(l - 1) < 1e-5f, "a normal has length " + number(std::sqrt(l)));
        others += dot(normals[i], unit_or_zero(sums[i])) < 0.9999f;
    }
    // Terms that cancel have no direction.
    check(zeros <= 1 + normals.size() / 20, "most normals are not zero");
    check(others <= zeros + 1 + normals.size() / 1000, "normals gathered and scattered are the same");
}

// Mean curvature flow.

/// Returns the cotangents of a face with the edges `a` and `b` at a vertex: at the end of `a`, and at that of `b`.
std::pair<float, float> far_cotangents(const Vec3& a, const Vec3& b) {
    const Vec3 ab = b - a, n = cross(a, b);
    const float n2 = dot(n, n);
    const float scale = n2 > 0 ? 1 / std::sqrt(n2) : 0;
    return {-dot(a, ab) * scale, dot(b, ab) * scale};
}

/// Conjugate gradients for `(2 A + dt L) x = 2 A x0`, three right-hand sides with one step length: `L` has the weights
/// `max(0, cot a + cot b)`, computed in each product, and `A` the mixed Voronoi areas.
class MeanCurvatureFlow {
  public:
    explicit MeanCurvatureFlow(const TriangleMesh& mesh) : mesh_(mesh), mass_(mesh.n_vertices()) {
        double length = 0;
        for (size_t e = 0; e < mesh.n_edges(); ++e) length += mesh.calc_edge_length(EdgeHandle(int(e)));
        length /= double(mesh.n_edges());
        dt_ = float(1000 * length * length);
        for (size_t f = 0; f < mesh.n_faces(); ++f) add_areas(FaceHandle(int(f)));
        for (auto* vector : {&x_, &r_, &d_, &q_}) vector->resize(mesh.n_vertices());
    }

    /// Starts from the mesh's positions.
    void start() {
        const int n = int(x_.size());
        for (int i = 0; i < n; ++i) x_[size_t(i)] = mesh_.point(VertexHandle(i));
        double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int i = 0; i < n; ++i) {
            // The area terms of the residual cancel.
            const Vec3 r = row(i, x_) * -dt_;
            r_[size_t(i)] = r;
            d_[size_t(i)] = Vec3(0, 0, 0);
            sum += dot_double(r, r);
        }
        delta_ = sum, beta_ = 0, delta_at_start_ = sum;
    }

    /// Runs one iteration.
    void iterate() {
        const int n = int(x_.size());
        const float beta = float(beta_);
        double dq = 0, rr = 0;
#pragma omp parallel for schedule(static)
        for (int i = 0; i < n; ++i) d_[size_t(i)] = r_[size_t(i)] + d_[size_t(i)] * beta;
#pragma omp parallel for schedule(static) reduction(+ : dq)
        for (int i = 0; i < n; ++i) {
            const Vec3 q = product(i, d_);
            q_[size_t(i)] = q;
            dq += dot_double(d_[size_t(i)], q);
        }
        // A residual of zero stays zero.
        const float alpha = dq > 0 ? float(delta_ / dq) : 0;
#pragma omp parallel for schedule(static) reduction(+ : rr)
        for (int i = 0; i < n; ++i) {
            x_[size_t(i)] += d_[size_t(i)] * alpha;
            const Vec3 r = r_[size_t(i)] - q_[size_t(i)] * alpha;
            r_[size_t(i)] = r;
            rr += dot_double(r, r);
        }
        beta_ = delta_ > 0 ? rr / delta_ : 0;
        delta_ = rr;
        curvature_ = dq;
    }

    /// Checks areas, symmetry, and the product against one with weights that faces add to their edges.
    void check_system() const {
        double mass = 0, area = 0;
        for (float m : mass_) mass += 0.5 * m;
        std::vector<float> weights(mesh_.n_edges(), 0);
        for (size_t f = 0; f < mesh_.n_faces(); ++f) {
            HalfedgeHandle h = mesh_.halfedge_handle(FaceHandle(int(f)));
            for (int k = 0; k < 3; ++k, h = mesh_.next_halfedge_handle(h)) {
                const HalfedgeHandle g = mesh_.next_halfedge_handle(h);
                const Vec3 x = point_to(g);
                const Vec3 a = mesh_.point(mesh_.from_vertex_handle(h)) - x, b = point_to(h) - x;
                const Vec3 n = cross(a, b);
                const float area2 = std::sqrt(dot(n, n));
                weights[size_t(mesh_.edge_handle(h).idx())] += area2 > 0 ? dot(a, b) / area2 : 0;
                if (k == 0) area += 0.5 * area2;
            }
        }
        check(std::abs(mass - area) <= 1e-3 * area, "areas of vertices add up to those of faces");
        const size_t n = mass_.size();
        std::vector<Vec3> u(n), w(n), other(n, Vec3(0, 0, 0));
        uint32_t state = 1;
        auto random = [&] { return float((state = state * 1664525u + 1013904223u) >> 8) / float(1 << 23) - 1; };
        for (size_t i = 0; i < n; ++i) {
            for (int k = 0; k < 3; ++k) u[i][k] = random(), w[i][k] = random();
        }
        for (size_t e = 0; e < weights.size(); ++e) {
            const HalfedgeHandle h = mesh_.halfedge_handle(EdgeHandle(int(e)), 0);
            const size_t i = size_t(mesh_.from_vertex_handle(h).idx()), j = size_t(mesh_.to_vertex_handle(h).idx());
            const Vec3 flow = (u[i] - u[j]) * (std::max(0.0f, weights[e]) * dt_);
            other[i] += flow, other[j] -= flow;
        }
        double uw = 0, wu = 0, uu = 0, size = 0, difference = 0;
        for (size_t i = 0; i < n; ++i) {
            const Vec3 mu = product(int(i), u), d = mu - (u[i] * mass_[i] + other[i]);
            uw += dot_double(w[i], mu), wu += dot_double(u[i], product(int(i), w));
            uu += dot_double(w[i], w[i]), size += dot_double(mu, mu), difference += dot_double(d, d);
        }
        check(std::abs(uw - wu) <= 1e-4 * std::sqrt(uu * size), "the product is symmetric");
        check(std::sqrt(difference) <= 1e-3 * std::sqrt(size), "the product is that of the edges' weights");
    }

    /// Checks that the residual is that of the positions.
    void check_result() const {
        double difference = 0;
        for (size_t i = 0; i < x_.size(); ++i) {
            check(is_finite(x_[i]), "positions are finite");
            const Vec3 moved = mesh_.point(VertexHandle(int(i))) - x_[i];
            const Vec3 d = moved * mass_[i] - row(int(i), x_) * dt_ - r_[i];
            difference += dot_double(d, d);
        }
        check(curvature_ >= 0, "the product is positive");
        const double most = 1e-4 * delta_ + 1e-8 * delta_at_start_;
        check(std::isfinite(delta_) && difference <= most, "the residual is that of the positions");
    }

  private:
    Vec3 point_to(HalfedgeHandle h) const { return mesh_.point(mesh_.to_vertex_handle(h)); }

    Vec3 product(int i, const std::vector<Vec3>& d) const { return d[size_t(i)] * mass_[size_t(i)] + row(i, d) * dt_; }

    /// Returns `sum_j w_ij (d_i - d_j)`: each cotangent is computed once for the vertex.
    Vec3 row(int i, const std::vector<Vec3>& d) const {
        VertexHandle v(i);
        const Vec3 x = mesh_.point(v), dv = d[size_t(i)];
        Vec3 sum(0, 0, 0), first(0, 0, 0), before(0, 0, 0), first_flow(0, 0, 0), flow(0, 0, 0);
        float carry = 0, opening = 0;
        int count = 0;
        bool closed = false;
        for (auto h = mesh_.cvoh_cwiter(v); h.is_valid(); ++h, ++count) {
            const VertexHandle w = mesh_.to_vertex_handle(*h);
            const Vec3 here = mesh_.point(w) - x, there = dv - d[size_t(w.idx())];
            const bool face = !mesh_.is_boundary(HalfedgeHandle(*h));
            if (count == 0) {
                first = here, first_flow = there, closed = face;
            } else {
                const auto [at_before, at_here] = face ? far_cotangents(before, here) : std::pair<float, float>(0, 0);
                if (count == 1) {
                    opening = at_here;
                } else {
                    sum += flow * std::max(0.0f, carry + at_here);
                }
                carry = at_before;
            }
            before = here, flow = there;
        }
        if (count == 0) return sum;
        const auto [at_last, at_first] = closed ? far_cotangents(before, first) : std::pair<float, float>(0, 0);
        return sum + flow * std::max(0.0f, carry + at_first) + first_flow * std::max(0.0f, opening + at_last);
    }

    /// Adds two times the mixed Voronoi areas of a face's corners (Meyer et al. 2003).
    void add_areas(FaceHandle f) {
        HalfedgeHandle h = mesh_.halfedge_handle(f);
        int v[3];
        Vec3 x[3];
        for (int k = 0; k < 3; ++k, h = mesh_.next_halfedge_handle(h)) {
            v[k] = mesh_.to_vertex_handle(h).idx();
            x[k] = point_to(h);
        }
        const Vec3 n = cross(x[1] - x[0], x[2] - x[0]);
        const float area2 = std::sqrt(dot(n, n));
        if (!(area2 > 0)) return;
        float cot[3];
        for (int k = 0; k < 3; ++k) cot[k] = dot(x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]) / area2;
        const bool obtuse = cot[0] < 0 || cot[1] < 0 || cot[2] < 0;
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            const Vec3 to_a = x[a] - x[k], to_b = x[b] - x[k];
            const float voronoi = 0.125f * (dot(to_a, to_a) * cot[b] + dot(to_b, to_b) * cot[a]);
            mass_[size_t(v[k])] += 2 * (obtuse ? (cot[k] < 0 ? 0.25f : 0.125f) * area2 : voronoi);
        }
    }

    const TriangleMesh& mesh_;
    float dt_ = 0;
    std::vector<float> mass_;
    std::vector<Vec3> x_, r_, d_, q_;
    double delta_ = 0, beta_ = 0, curvature_ = 0, delta_at_start_ = 0;
};

// Bilateral filter (Fleishman et al. 2003).

/// A set of vertices in the order in which they were added. Short ones are searched from the end, where a vertex that
/// was added lately is found; longer ones have a hash table.
class Ball {
  public:
    void restart(int v) {
        list_.clear();
        table_.clear();
        list_.push_back(v);
    }

    void add(int v) {
        if (list_.size() < SHORT) {
            for (size_t k = list_.size(); k-- > 0;) {
                if (list_[k] == v) return;
            }
            list_.push_back(v);
            return;
        }
        if (table_.empty()) table_.insert(list_.begin(), list_.end());
        if (table_.insert(v).second) list_.push_back(v);
    }

    size_t size() const { return list_.size(); }
    int operator[](size_t k) const { return list_[k]; }

  private:
    static constexpr size_t SHORT = 64;
    std::vector<int> list_;
    std::unordered_set<int> table_;
};

/// Returns the new position of a vertex: its ball has twice the length of its shortest edge as radius, and is grown
/// breadth first; the similarity is the standard deviation of the heights in the ball.
Vec3 filtered(const TriangleMesh& mesh, int i, const Vec3& normal, Ball& ball) {
    VertexHandle v(i);
    const Vec3 x = mesh.point(v);
    float shortest = INF;
    for (auto w = mesh.cvv_iter(v); w.is_valid(); ++w) {
        const Vec3 a = mesh.point(*w) - x;
        shortest = std::min(shortest, dot(a, a));
    }
    if (!(shortest > 0 && shortest < INF) || dot(normal, normal) == 0) return x;
    const float sigma_c = std::sqrt(shortest), radius2 = 4 * shortest;
    ball.restart(i);
    for (size_t next = 0; next < ball.size(); ++next) {
        for (auto w = mesh.cvv_iter(VertexHandle(ball[next])); w.is_valid(); ++w) {
            const Vec3 a = mesh.point(*w) - x;
            if (dot(a, a) < radius2) ball.add(w->idx());
        }
    }
    const float n = float(ball.size());
    float sum = 0, squares = 0;
    for (size_t k = 0; k < ball.size(); ++k) {
        const float h = dot(normal, mesh.point(VertexHandle(ball[k])) - x);
        sum += h, squares += h * h;
    }
    const float mean = sum / n, variance = squares / n - mean * mean;
    if (!(variance > 0)) return x;
    const float near = 0.5f / (sigma_c * sigma_c), alike = 0.5f / variance;
    float heights = 0, weights = 0;
    for (size_t k = 0; k < ball.size(); ++k) {
        const Vec3 a = mesh.point(VertexHandle(ball[k])) - x;
        const float h = dot(normal, a), w = std::exp(-(dot(a, a) * near + h * h * alike));
        heights += w * h, weights += w;
    }
    return x + normal * (heights / weights);
}

void filter_once(const TriangleMesh& mesh, std::vector<Vec3>& normals, std::vector<Vec3>& out) {
    compute_normals(mesh, normals);
    const int n = int(mesh.n_vertices());
#pragma omp parallel
    {
        Ball ball;
#pragma omp for schedule(dynamic, 512)
        for (int i = 0; i < n; ++i) out[size_t(i)] = filtered(mesh, i, normals[size_t(i)], ball);
    }
}

/// Checks that vertices stay in their balls, and some of them against sets and doubles.
void check_filter(const TriangleMesh& mesh, const std::vector<Vec3>& normals, const std::vector<Vec3>& out) {
    const size_t stride = 1 + out.size() / 1000;
    for (size_t i = 0; i < out.size(); ++i) {
        VertexHandle v{int(i)};
        check(is_finite(out[i]), "filtered positions are finite");
        const Vec3 x = mesh.point(v), normal = normals[i];
        float shortest = INF;
        for (auto w = mesh.cvv_iter(v); w.is_valid(); ++w) shortest = std::min(shortest, (mesh.point(*w) - x).norm());
        const float step = (out[i] - x).norm();
        check(step == 0 || step <= 2.001f * shortest, "a vertex stays in its ball");
        if (i % stride != 0 || step == 0) continue;
        std::set<int> ball{int(i)};
        for (std::vector<int> fresh{int(i)}; !fresh.empty();) {
            const VertexHandle from(fresh.back());
            fresh.pop_back();
            for (auto w = mesh.cvv_iter(from); w.is_valid(); ++w) {
                if ((mesh.point(*w) - x).norm() < 2 * shortest && ball.insert(w->idx()).second) {
                    fresh.push_back(w->idx());
                }
            }
        }
        double mean = 0, variance = 0, heights = 0, weights = 0;
        auto height = [&](int w) { return dot_double(normal, mesh.point(VertexHandle(w)) - x); };
        for (int w : ball) mean += height(w) / double(ball.size());
        for (int w : ball) variance += std::pow(height(w) - mean, 2) / double(ball.size());
        for (int w : ball) {
            const Vec3 a = mesh.point(VertexHandle(w)) - x;
            const double h = height(w);
            const double weight = std::exp(-0.5 * (dot_double(a, a) / std::pow(shortest, 2) + h * h / variance));
            heights += weight * h, weights += weight;
        }
        // A vertex at the very boundary of a ball may be in one of the two alone; heights near zero are rounding.
        const double error = std::abs(dot_double(out[i] - x, normal) - heights / weights);
        check(error <= 0.05 * shortest + 1e-6 * x.norm(), "a vertex moves by the mean height of its ball");
    }
}

// Geodesic distances (Romero Calla et al. 2019).

/// Vertices by their number of edges from the source, and the start of each level and the end.
struct Levels {
    std::vector<int> order;
    std::vector<int> starts;
};

Levels find_levels(const TriangleMesh& mesh, int source) {
    Levels levels;
    std::vector<char> known(mesh.n_vertices(), 0);
    known[size_t(source)] = 1;
    levels.order.reserve(mesh.n_vertices());
    levels.order.push_back(source);
    levels.starts.push_back(0);
    for (size_t done = 0; done < levels.order.size(); done = size_t(levels.starts.back())) {
        levels.starts.push_back(int(levels.order.size()));
        for (size_t i = done; i < size_t(levels.starts.back()); ++i) {
            for (auto w = mesh.cvv_iter(VertexHandle(levels.order[i])); w.is_valid(); ++w) {
                if (std::exchange(known[size_t(w->idx())], 1) == 0) levels.order.push_back(w->idx());
            }
        }
    }
    return levels;
}

/// Returns the time of a wave at a vertex, from the times `s` and `t` at the ends of its edges `a` and `b`: a plane
/// wave through the face, or one along an edge (Kimmel and Sethian 1998).
float arrival(const Vec3& a, const Vec3& b, float s, float t) {
    const float aa = dot(a, a), ab = dot(a, b), bb = dot(b, b);
    const float along = std::min(s + std::sqrt(aa), t + std::sqrt(bb));
    const float determinant = aa * bb - ab * ab;
    if (!(s < INF && t < INF && determinant > 0)) return along;
    const float from = std::min(s, t);
    s -= from, t -= from;
    const float q = bb / determinant, r = -ab / determinant, w = aa / determinant;
    const float qs = q * s + r * t, qt = r * s + w * t;
    const float sum = q + 2 * r + w, linear = qs + qt;
    const float root = linear * linear - sum * (s * qs + t * qt - 1);
    if (root < 0 || sum <= 0) return along;
    const float p = (linear + std::sqrt(root)) / sum;
    const float left = q * (s - p) + r * (t - p), right = r * (s - p) + w * (t - p);
    return left < 0 && right < 0 ? from + p : along;
}

/// Returns the distance of a vertex from those of its neighbours.
float updated(const TriangleMesh& mesh, int i, const std::vector<float>& old) {
    VertexHandle v(i);
    const Vec3 x = mesh.point(v);
    float least = old[size_t(i)], first_time = INF, time = INF;
    Vec3 first(0, 0, 0), before(0, 0, 0);
    bool begun = false, closed = false;
    for (auto h = mesh.cvoh_cwiter(v); h.is_valid(); ++h) {
        const VertexHandle w = mesh.to_vertex_handle(*h);
        const Vec3 here = mesh.point(w) - x;
        const float now = old[size_t(w.idx())];
        const bool face = !mesh.is_boundary(HalfedgeHandle(*h));
        if (begun && face) {
            least = std::min(least, arrival(before, here, time, now));
        } else {
            least = std::min(least, now + std::sqrt(dot(here, here)));
        }
        if (!begun) first = here, first_time = now, closed = face, begun = true;
        before = here, time = now;
    }
    if (closed) least = std::min(least, arrival(before, first, time, first_time));
    return least;
}

/// Propagates distances until all levels are settled: the window of levels grows by one at its end in each step, and
/// loses its first one when that is settled. Returns the number of steps; `old` holds the distances.
int propagate(const TriangleMesh& mesh, const Levels& levels, std::vector<float>& old, std::vector<float>& next) {
    constexpr float TOLERANCE = 1e-3f;
    constexpr int PARALLEL = 2048;
    const int count = int(levels.starts.size()) - 1;
    int first = 1, end = 2, steps = 0;
    while (first < count) {
        check(steps < 64 * count + 64, "the fronts end");
        end = std::min(end, count);
        const int begin = levels.starts[size_t(first)], inner = levels.starts[size_t(first) + 1];
        const int stop = levels.starts[size_t(end)];
        int unsettled = 0;
#pragma omp parallel for schedule(static) reduction(+ : unsettled) if (stop - begin >= PARALLEL)
        for (int i = begin; i < stop; ++i) {
            const int v = levels.order[size_t(i)];
            const float before = old[size_t(v)], least = updated(mesh, v, old);
            next[size_t(v)] = least;
            // Not a number, for a vertex that nothing has reached, counts as not settled.
            if (i < inner && !(before - least <= TOLERANCE * least)) ++unsettled;
        }
        old.swap(next);
        first += unsettled == 0;
        ++end, ++steps;
    }
    return steps;
}

/// Checks distances against those along edges and in a straight line.
void check_distances(const TriangleMesh& mesh, int source, const std::vector<float>& distances) {
    std::vector<float> along(mesh.n_vertices(), INF);
    using Item = std::pair<float, int>;
    std::priority_queue<Item, std::vector<Item>, std::greater<Item>> queue;
    along[size_t(source)] = 0;
    queue.emplace(0.0f, source);
    while (!queue.empty()) {
        const auto [d, v] = queue.top();
        queue.pop();
        if (d > along[size_t(v)]) continue;
        const Vec3 x = mesh.point(VertexHandle(v));
        for (auto w = mesh.cvv_iter(VertexHandle(v)); w.is_valid(); ++w) {
            const float there = d + (mesh.point(*w) - x).norm();
            if (there < along[size_t(w->idx())]) {
                along[size_t(w->idx())] = there;
                queue.emplace(there, w->idx());
            }
        }
    }
    const Vec3 x = mesh.point(VertexHandle(source));
    for (size_t i = 0; i < along.size(); ++i) {
        if (along[i] == INF) {
            check(distances[i] == INF, "a vertex of another component has no distance");
            continue;
        }
        const float straight = (mesh.point(VertexHandle(int(i))) - x).norm();
        check(std::isfinite(distances[i]), "distances are finite");
        check(distances[i] <= 1.02f * along[i] + 1e-6f, "a distance is at most that along edges");
        check(distances[i] >= 0.9f * straight, "a distance is at least that in a straight line");
    }
}

// Relations.

/// Rows of a relation; rows of one length have no starts.
struct Relation {
    std::vector<uint32_t> starts, values;
};

/// Writes rows of vertices. One thread writes starts and values in one walk; several count the rows of their vertices
/// first.
template <class Visit>
void write_rows(const TriangleMesh& mesh, Relation& out, Visit visit) {
    const size_t n = mesh.n_vertices();
    std::vector<uint32_t> bases(size_t(omp_get_max_threads()) + 1, 0);
    out.starts[n] = uint32_t(out.values.size());
#pragma omp parallel
    {
        const size_t threads = size_t(omp_get_num_threads()), thread = size_t(omp_get_thread_num());
        const size_t begin = n * thread / threads, end = n * (thread + 1) / threads;
        uint32_t at = 0;
        if (threads > 1) {
            uint32_t count = 0;
            for (size_t v = begin; v < end; ++v) visit(VertexHandle(int(v)), [&](int) { ++count; });
            bases[thread + 1] = count;
#pragma omp barrier
            for (size_t t = 0; t <= thread; ++t) at += bases[t];
        }
        uint32_t* values = out.values.data();
        for (size_t v = begin; v < end; ++v) {
            out.starts[v] = at;
            visit(VertexHandle(int(v)), [&](int value) { values[at++] = uint32_t(value); });
        }
    }
}

/// Writes three values for each face: `of` returns that of a half-edge of it.
template <class Of>
void write_faces(const TriangleMesh& mesh, Relation& out, Of of) {
    const int n = int(mesh.n_faces());
#pragma omp parallel for schedule(static)
    for (int f = 0; f < n; ++f) {
        uint32_t* row = &out.values[3 * size_t(f)];
        for (auto h = mesh.cfh_ccwiter(FaceHandle(f)); h.is_valid(); ++h) *row++ = uint32_t(of(HalfedgeHandle(*h)));
    }
}

/// Writes two values for each edge: `of` returns that of a half-edge of it.
template <class Of>
void write_edges(const TriangleMesh& mesh, Relation& out, Of of) {
    const int n = int(mesh.n_edges());
#pragma omp parallel for schedule(static)
    for (int e = 0; e < n; ++e) {
        for (int k = 0; k < 2; ++k) {
            out.values[2 * size_t(e) + size_t(k)] = uint32_t(of(mesh.halfedge_handle(EdgeHandle(e), unsigned(k))));
        }
    }
}

/// Allocates the rows of a relation.
Relation make_relation(const TriangleMesh& mesh, const std::string& name) {
    const size_t per_vertex = name == "vf" ? 3 * mesh.n_faces() : 2 * mesh.n_edges();
    Relation out;
    if (name[0] == 'v') out.starts.resize(mesh.n_vertices() + 1);
    out.values.resize(name[0] == 'v' ? per_vertex : name[0] == 'f' ? 3 * mesh.n_faces() : 2 * mesh.n_edges());
    return out;
}

/// Writes a relation. A missing face is [`NONE`], the invalid handle of OpenMesh.
void write_relation(const TriangleMesh& mesh, const std::string& name, Relation& out) {
    auto opposite_face = [&](HalfedgeHandle h) {
        return mesh.face_handle(mesh.opposite_halfedge_handle(h)).idx();
    };
    if (name == "vv") {
        write_rows(mesh, out, [&](VertexHandle v, auto put) {
            for (auto w = mesh.cvv_iter(v); w.is_valid(); ++w) put(w->idx());
        });
    } else if (name == "ve") {
        write_rows(mesh, out, [&](VertexHandle v, auto put) {
            for (auto e = mesh.cve_iter(v); e.is_valid(); ++e) put(e->idx());
        });
    } else if (name == "vf") {
        write_rows(mesh, out, [&](VertexHandle v, auto put) {
            for (auto f = mesh.cvf_iter(v); f.is_valid(); ++f) put(f->idx());
        });
    } else if (name == "fv") {
        write_faces(mesh, out, [&](HalfedgeHandle h) { return mesh.from_vertex_handle(h).idx(); });
    } else if (name == "fe") {
        write_faces(mesh, out, [&](HalfedgeHandle h) { return mesh.edge_handle(h).idx(); });
    } else if (name == "ff") {
        write_faces(mesh, out, opposite_face);
    } else if (name == "ev") {
        write_edges(mesh, out, [&](HalfedgeHandle h) { return mesh.from_vertex_handle(h).idx(); });
    } else {
        write_edges(mesh, out, [&](HalfedgeHandle h) { return mesh.face_handle(h).idx(); });
    }
}

/// Checks starts, totals, ranges, and that related elements share their vertices.
void check_relation(const TriangleMesh& mesh, const std::string& name, const Relation& out) {
    auto count = [&](char kind) {
        return kind == 'v' ? mesh.n_vertices() : kind == 'e' ? mesh.n_edges() : mesh.n_faces();
    };
    auto vertices = [&](char kind, uint32_t i) {
        std::vector<int> of;
        if (kind == 'v') of = {int(i)};
        if (kind == 'e') {
            const HalfedgeHandle h = mesh.halfedge_handle(EdgeHandle(int(i)), 0);
            of = {mesh.from_vertex_handle(h).idx(), mesh.to_vertex_handle(h).idx()};
        }
        if (kind == 'f') {
            for (auto v = mesh.cfv_iter(FaceHandle(int(i))); v.is_valid(); ++v) of.push_back(v->idx());
        }
        return of;
    };
    const size_t n = count(name[0]), width = name[0] == 'f' ? 3 : 2;
    size_t interior = 0, present = 0;
    for (size_t e = 0; e < mesh.n_edges(); ++e) interior += !mesh.is_boundary(EdgeHandle(int(e)));
    for (size_t i = 0; i < n; ++i) {
        const bool varies = name[0] == 'v';
        const size_t begin = varies ? out.starts[i] : i * width, end = varies ? out.starts[i + 1] : (i + 1) * width;
        check(begin <= end && end <= out.values.size(), name + ": the starts of rows ascend");
        for (size_t k = begin; k < end; ++k) {
            const uint32_t j = out.values[k];
            if (j == NONE) continue;
            ++present;
            check(j < count(name[1]), name + ": a value in range");
            const std::vector<int> a = vertices(name[0], uint32_t(i)), b = vertices(name[1], j);
            int shared = 0;
            for (int v : a) shared += std::find(b.begin(), b.end(), v) != b.end();
            if (name == "vv") {
                const bool edge = mesh.find_halfedge(VertexHandle(a[0]), VertexHandle(b[0])).is_valid();
                check(edge, "vv: an edge between them");
            } else {
                const int wanted = name[0] == 'v' || name[1] == 'v' ? 1 : 2;
                // Two faces of a small closed component may share all of their vertices.
                check(shared == wanted || (name == "ff" && shared == 3), name + ": related elements share vertices");
            }
        }
    }
    const size_t edge_ends = 2 * mesh.n_edges(), corners = 3 * mesh.n_faces();
    const bool of_edges = name == "vv" || name == "ve" || name == "ev";
    const size_t wanted = of_edges ? edge_ends : name == "ff" ? 2 * interior : corners;
    check(present == wanted, name + ": " + std::to_string(present) + " entries, not " + std::to_string(wanted));
}

// Subdivision.

template <class Mesh>
long euler_number(const Mesh& mesh) {
    return long(mesh.n_vertices()) - long(mesh.n_edges()) + long(mesh.n_faces());
}

template <class Mesh>
size_t corner_count(const Mesh& mesh) {
    size_t corners = 0;
    for (size_t f = 0; f < mesh.n_faces(); ++f) corners += mesh.valence(FaceHandle(int(f)));
    return corners;
}

/// Measures the subdivision of copies of a mesh by one level, two levels and so on.
template <class Mesh, class Subdivide>
void measure_subdivision(const Options& o, Record& record, const Mesh& mesh, const std::string& name,
                         const std::string& scheme, size_t faces_after_one, Subdivide subdivide) {
    for (int level = 1; level <= o.levels; ++level) {
        const double faces = double(faces_after_one) * std::pow(4.0, level - 1);
        if (faces > o.most_faces) {
            std::fprintf(stderr, "%s of %s: no level %d, its %.0f faces are more than --most-faces\n", scheme.c_str(),
                         name.c_str(), level, faces);
            break;
        }
        bool checked = false;
        std::vector<double> samples = take_samples(o, [&] {
            Mesh copy = mesh;
            const double start = now_ms();
            subdivide(copy, level);
            const double ms = now_ms() - start;
            if (!checked) {
                check(copy.n_faces() == size_t(faces), scheme + ": the number of faces");
                check(euler_number(copy) == euler_number(mesh), scheme + ": the Euler number stays");
                for (size_t v = 0; v < copy.n_vertices(); ++v) {
                    check(is_finite(copy.point(VertexHandle(int(v)))), scheme + ": positions are finite");
                }
                checked = true;
            }
            return ms;
        });
        record.add(scheme + ", " + std::to_string(level) + (level == 1 ? " level" : " levels"),
                   "OpenMesh's subdivider on a copy of the mesh, with the properties that it adds and removes; making "
                   "the copy is not counted; faces are those of the mesh before",
                   Value{name, mesh.n_faces(), std::move(samples), 1, {{"result_faces", faces}}});
    }
}

void measure_catmull_clark(const Options& o, Record& record, const PolygonMesh& mesh, const std::string& name) {
    measure_subdivision(o, record, mesh, name, "Catmull-Clark", corner_count(mesh), [](PolygonMesh& copy, int levels) {
        OpenMesh::Subdivider::Uniform::CatmullClarkT<PolygonMesh> scheme;
        check(scheme(copy, size_t(levels)), "OpenMesh's Catmull-Clark subdivision");
    });
}

PolygonMesh polygons_of(const TriangleMesh& mesh) {
    PolygonMesh out;
    for (size_t v = 0; v < mesh.n_vertices(); ++v) out.add_vertex(mesh.point(VertexHandle(int(v))));
    for (size_t f = 0; f < mesh.n_faces(); ++f) {
        std::vector<VertexHandle> corners;
        for (auto v = mesh.cfv_ccwiter(FaceHandle(int(f))); v.is_valid(); ++v) corners.push_back(*v);
        check(out.add_face(corners).is_valid(), "a face of the mesh as a polygon");
    }
    return out;
}

// Runs.

void measure_normals(const Options& o, Record& record, const TriangleMesh& mesh, const std::string& name, int threads) {
    std::vector<Vec3> normals(mesh.n_vertices());
    auto samples = time_calls(o, [&] { compute_normals(mesh, normals); });
    check_normals(mesh, normals);
    record.add("vertex normals", "weights of Max 1999, gathered by walking around each vertex; unit normals written",
               Value{name, mesh.n_faces(), std::move(samples), threads, {}});
}

void measure_flow(const Options& o, Record& record, const TriangleMesh& mesh, const std::string& name, int threads) {
    constexpr int ITERATIONS = 8;
    MeanCurvatureFlow flow(mesh);
    flow.check_system();
    auto samples = take_samples(o, [&] {
        flow.start();
        const double start = now_ms();
        for (int i = 0; i < ITERATIONS; ++i) flow.iterate();
        return now_ms() - start;
    });
    for (double& ms : samples) ms /= ITERATIONS;
    flow.check_result();
    record.add("MCF iteration, matrix-free, cotangent weights",
               "one iteration of conjugate gradients, three right-hand sides together, no preconditioner: direction, "
               "product with weights computed anew, dot products, updates; 8 iterations from the start over 8; areas "
               "and first residual not counted",
               Value{name, mesh.n_faces(), std::move(samples), threads, {}});
}

void measure_filter(const Options& o, Record& record, const TriangleMesh& mesh, const std::string& name, int threads) {
    std::vector<Vec3> normals(mesh.n_vertices()), out(mesh.n_vertices());
    auto samples = time_calls(o, [&] { filter_once(mesh, normals, out); });
    check_filter(mesh, normals, out);
    record.add("bilateral filter, iteration",
               "the first iteration: normals, then balls by the shortest edge and new positions, which are not put "
               "back into the mesh",
               Value{name, mesh.n_faces(), std::move(samples), threads, {}});
}

void measure_distances(const Options& o, Record& record, const TriangleMesh& mesh, const std::string& name,
                       bool first_threads, int threads) {
    const int source = 0;
    const size_t n = mesh.n_vertices();
    const Levels levels = find_levels(mesh, source);
    const double count = double(levels.starts.size() - 1);
    auto levels_ms = time_calls(o, [&] { find_levels(mesh, source); });
    std::vector<float> old(n), next(n);
    int steps = 0;
    auto fronts_ms = take_samples(o, [&] {
        std::fill(old.begin(), old.end(), INF);
        old[source] = 0;
        next = old;
        const double start = now_ms();
        steps = propagate(mesh, levels, old, next);
        return now_ms() - start;
    });
    check(levels.order.size() <= n && size_t(levels.starts.back()) == levels.order.size(), "levels end");
    check_distances(mesh, source, old);
    const std::vector<double> both{median(levels_ms) + median(fronts_ms)};
    const std::vector<std::pair<std::string, double>> others{{"iterations", steps}, {"levels", count}};
    record.add("geodesic distances",
               "parallel fronts of Romero Calla et al. 2019 from vertex 0, steps of 1e-3; level sets not counted",
               Value{name, mesh.n_faces(), fronts_ms, threads, others});
    if (first_threads) {
        record.add("level sets", "breadth-first search from vertex 0 on one thread",
                   Value{name, mesh.n_faces(), levels_ms, 1, {{"levels", count}}});
    }
    record.add("geodesic distances and level sets", "sum of the medians of the two; level sets on one thread",
               Value{name, mesh.n_faces(), both, threads, others});
}

void measure_relation(const Options& o, Record& record, const TriangleMesh& mesh, const std::string& name,
                      const std::string& relation, int threads) {
    Relation out = make_relation(mesh, relation);
    auto samples = time_calls(o, [&] { write_relation(mesh, relation, out); });
    check_relation(mesh, relation, out);
    std::string upper = relation;
    for (char& c : upper) c = char(c - 'a' + 'A');
    const char* counts = relation[0] == 'v'
                             ? "rows of all vertices written to one array, and the starts of the rows; 4 bytes an "
                               "entry; several threads walk twice, to count and to write"
                             : "rows of one length of all elements written to one array; 4 bytes an entry";
    record.add("query " + upper + ", store", counts,
               Value{name, mesh.n_faces(), std::move(samples), threads, {}});
}

void measure_triangles(const Options& o, Record& record, const TriangleMesh& mesh, const std::string& name) {
    for (size_t t = 0; t < o.threads.size(); ++t) {
        const int threads = o.threads[t];
        omp_set_num_threads(threads);
        if (o.wants("normals")) measure_normals(o, record, mesh, name, threads);
        if (o.wants("mcf-iteration")) measure_flow(o, record, mesh, name, threads);
        if (o.wants("filter-iteration")) measure_filter(o, record, mesh, name, threads);
        if (o.wants("geodesic")) measure_distances(o, record, mesh, name, t == 0, threads);
        for (const char* relation : QUERIES) {
            if (o.wants(relation)) measure_relation(o, record, mesh, name, relation, threads);
        }
    }
    if (o.wants("loop")) {
        measure_subdivision(o, record, mesh, name, "Loop", 4 * mesh.n_faces(), subdivide_loop);
    }
    if (o.wants("catmull-clark")) measure_catmull_clark(o, record, polygons_of(mesh), name);
}

void run(const Options& o) {
    Record record(o);
    for (const std::string& path : o.files) {
        std::string name = o.name;
        if (name.empty()) {
            name = file_name(path);
            name = name.substr(0, name.rfind(".obj"));
            std::replace(name.begin(), name.end(), ' ', '-');
        }
        const FileMesh file = read_obj(path, o.polygons);
        if (o.polygons) {
            measure_catmull_clark(o, record, build_mesh<PolygonMesh>(file, path), name);
            continue;
        }
        const TriangleMesh base = build_mesh<TriangleMesh>(file, path);
        for (int level : o.subdivisions) {
            if (double(base.n_faces()) * std::pow(4.0, level) > 7e8) {
                throw BadInput("--subdivide: " + path + " has too many faces for level " + std::to_string(level));
            }
            TriangleMesh mesh = base;
            if (level > 0) subdivide_loop(mesh, level);
            const std::string full = level == 0 ? name : name + "_L" + std::to_string(level);
            for (const std::string& order : o.orders) {
                record.set_sorted(order == "sorted");
                measure_triangles(o, record, order == "sorted" ? sorted_mesh(mesh) : mesh, full);
            }
        }
    }
    if (record.is_empty()) throw BadInput("nothing was measured: every level is larger than --most-faces");
    record.print();
}

}  // namespace

int main(int count, char** words) {
    try {
        run(parse_options(count, words));
    } catch (const BadInput& error) {
        std::fprintf(stderr, "openmesh: %s\n", error.what());
        return 2;
    } catch (const FailedCheck& error) {
        std::fprintf(stderr, "openmesh: %s\n", error.what());
        return 1;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "openmesh: not enough memory for this mesh; --most-faces limits subdivision\n");
        return 2;
    }
    return 0;
}
