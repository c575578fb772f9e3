// Expected results of subdivision surfaces, by OpenSubdiv in double precision. Cases come on standard input (as
// `cargo run --example opensubdiv` writes them); the table goes to standard output as JSON, one line per case.

#include <opensubdiv/far/primvarRefiner.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefiner.h>
#include <opensubdiv/far/topologyRefinerFactory.h>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

using namespace OpenSubdiv;

struct Point {
    double x[3];
    void Clear(void * = 0) { x[0] = x[1] = x[2] = 0; }
    void AddWithWeight(Point const & p, double w) {
        for (int i = 0; i < 3; ++i) x[i] += w * p.x[i];
    }
};
typedef std::vector<Point> Points;

static Point cross(Point const & a, Point const & b) {
    return { { a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
               a.x[0] * b.x[1] - a.x[1] * b.x[0] } };
}
static double dot(Point const & a, Point const & b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }

static void print(std::vector<double> const & list) {
    for (size_t i = 0; i < list.size(); ++i) printf("%s%.12g", i ? "," : "", list[i]);
}

static void print(Points const & list) {
    std::vector<double> flat;
    for (Point const & p : list) flat.insert(flat.end(), p.x, p.x + 3);
    print(flat);
}

// Sums of p, p^2 and p^4 by component, whatever the order.
static std::vector<double> moments(Points const & list) {
    std::vector<double> sums(9);
    for (Point const & p : list) {
        for (int i = 0; i < 3; ++i) {
            sums[i] += p.x[i];
            sums[3 + i] += p.x[i] * p.x[i];
            sums[6 + i] += p.x[i] * p.x[i] * p.x[i] * p.x[i];
        }
    }
    return sums;
}

struct Case {
    std::string name;
    int scheme, boundary, creasing, linear, levels, normals, whole;
    Points points, values;
    std::vector<int> sizes, corners, sharp_ends, sharp_vertices, holes, value_ids;
    std::vector<float> edge_sharpness, vertex_sharpness;

    bool read(std::istream & in) {
        std::string word;
        if (!(in >> word) || word != "case") return false;
        std::getline(in >> std::ws, name);
        in >> scheme >> boundary >> creasing >> linear >> levels >> normals >> whole;
        int n, id;
        float sharpness;
        in >> n;
        points.resize(n);
        for (Point & p : points) in >> p.x[0] >> p.x[1] >> p.x[2];
        for (in >> n; n > 0; --n) {
            int size;
            in >> size;
            sizes.push_back(size);
            for (; size > 0; --size) {
                in >> id;
                corners.push_back(id);
            }
        }
        for (in >> n; n > 0; --n) {
            for (int i = 0; i < 2; ++i) {
                in >> id;
                sharp_ends.push_back(id);
            }
            in >> sharpness;
            edge_sharpness.push_back(sharpness);
        }
        for (in >> n; n > 0; --n) {
            in >> id >> sharpness;
            sharp_vertices.push_back(id);
            vertex_sharpness.push_back(sharpness);
        }
        in >> n;
        holes.resize(n);
        for (int & f : holes) in >> f;
        in >> n;
        values.resize(n);
        for (Point & p : values) {
            in >> p.x[0] >> p.x[1];
            p.x[2] = 0;
        }
        value_ids.resize(n ? corners.size() : 0);
        for (int & v : value_ids) in >> v;
        return bool(in);
    }

    Far::TopologyRefiner * refiner() const {
        typedef Far::TopologyDescriptor Descriptor;
        Descriptor d;
        d.numVertices = int(points.size());
        d.numFaces = int(sizes.size());
        d.numVertsPerFace = sizes.data();
        d.vertIndicesPerFace = corners.data();
        d.numCreases = int(edge_sharpness.size());
        d.creaseVertexIndexPairs = sharp_ends.data();
        d.creaseWeights = edge_sharpness.data();
        d.numCorners = int(vertex_sharpness.size());
        d.cornerVertexIndices = sharp_vertices.data();
        d.cornerWeights = vertex_sharpness.data();
        d.numHoles = int(holes.size());
        d.holeIndices = holes.data();
        Descriptor::FVarChannel channel;
        channel.numValues = int(values.size());
        channel.valueIndices = value_ids.data();
        d.numFVarChannels = values.empty() ? 0 : 1;
        d.fvarChannels = &channel;

        Sdc::Options o;
        o.SetVtxBoundaryInterpolation(Sdc::Options::VtxBoundaryInterpolation(boundary));
        o.SetCreasingMethod(Sdc::Options::CreasingMethod(creasing));
        o.SetFVarLinearInterpolation(Sdc::Options::FVarLinearInterpolation(linear));
        typedef Far::TopologyRefinerFactory<Descriptor> Factory;
        Sdc::SchemeType type = scheme == 0 ? Sdc::SCHEME_CATMARK : Sdc::SCHEME_LOOP;
        return Factory::Create(d, Factory::Options(type, o));
    }
};

// The faces of a level that are no holes, and the base face of each.
struct Faces {
    std::vector<int> ids, parents;

    Faces(Far::TopologyRefiner const & refiner, int level) {
        Far::TopologyLevel const & last = refiner.GetLevel(level);
        for (int f = 0; f < last.GetNumFaces(); ++f) {
            int parent = f;
            for (int l = level; l > 0; --l) parent = refiner.GetLevel(l).GetFaceParentFace(parent);
            if (!last.IsFaceHole(f)) {
                ids.push_back(f);
                parents.push_back(parent);
            }
        }
    }
};

// Sums over faces: of squared area vectors, of volumes under them, and of the first times parents from 1.
static std::vector<double> face_sums(Far::TopologyLevel const & level, Faces const & faces, Points const & points) {
    std::vector<double> sums(3);
    for (size_t i = 0; i < faces.ids.size(); ++i) {
        Far::ConstIndexArray v = level.GetFaceVertices(faces.ids[i]);
        Point area = {}, center = {};
        for (int k = 0; k < v.size(); ++k) {
            area.AddWithWeight(cross(points[v[k]], points[v[(k + 1) % v.size()]]), 0.5);
            center.AddWithWeight(points[v[k]], 1.0 / v.size());
        }
        sums[0] += dot(area, area);
        sums[1] += dot(center, area);
        sums[2] += (faces.parents[i] + 1) * dot(area, area);
    }
    return sums;
}

// Sums over corners of the faces: of values and their powers, and of values times positions.
static std::vector<double> value_sums(Far::TopologyLevel const & level, Faces const & faces, Points const & points,
                                      Points const & values) {
    Points all;
    std::vector<double> mixed(6);
    for (int f : faces.ids) {
        Far::ConstIndexArray v = level.GetFaceVertices(f), w = level.GetFaceFVarValues(f, 0);
        for (int k = 0; k < v.size(); ++k) {
            all.push_back(values[w[k]]);
            for (int i = 0; i < 6; ++i) mixed[i] += values[w[k]].x[i / 3] * points[v[k]].x[i % 3];
        }
    }
    std::vector<double> sums = moments(all);
    sums.insert(sums.end(), mixed.begin(), mixed.end());
    return sums;
}

static void table(Case const & c) {
    Far::TopologyRefiner * refiner = c.refiner();
    Far::TopologyRefiner::UniformOptions how(c.levels);
    how.fullTopologyInLastLevel = true;
    refiner->RefineUniform(how);
    Far::PrimvarRefinerReal<double> primvars(*refiner);

    printf("{\"name\":\"%s\",\"levels\":[", c.name.c_str());
    std::vector<Points> points(1, c.points), values(1, c.values);
    for (int l = 1; l <= c.levels; ++l) {
        Far::TopologyLevel const & level = refiner->GetLevel(l);
        points.push_back(Points(level.GetNumVertices()));
        primvars.Interpolate(l, points[l - 1], points[l]);
        Faces faces(*refiner, l);
        printf("%s{\"counts\":[%d,%zu],\"points\":[", l > 1 ? "," : "", level.GetNumVertices(), faces.ids.size());
        print(moments(points[l]));
        printf("],\"faces\":[");
        print(face_sums(level, faces, points[l]));
        if (!c.values.empty()) {
            values.push_back(Points(level.GetNumFVarValues(0)));
            primvars.InterpolateFaceVarying(l, values[l - 1], values[l]);
            printf("],\"values\":[");
            print(value_sums(level, faces, points[l], values[l]));
        }
        printf("]}");
    }
    printf("]");

    if (c.whole) {
        Far::TopologyLevel const & second = refiner->GetLevel(2);
        Faces faces(*refiner, 2);
        printf(",\"second\":{\"points\":[");
        print(points[2]);
        printf("],\"faces\":[");
        for (size_t i = 0; i < faces.ids.size(); ++i) {
            Far::ConstIndexArray v = second.GetFaceVertices(faces.ids[i]);
            printf("%s[%d", i ? "," : "", faces.parents[i]);
            for (int k = 0; k < v.size(); ++k) printf(",%d", v[k]);
            printf("]");
        }
        printf("]}");
    }

    // Where the vertices of the last level end up, and normals there.
    if (c.values.empty()) {
        Points last = points[c.levels], limit(last.size()), tan1(last.size()), tan2(last.size());
        primvars.Limit(last, limit, tan1, tan2);
        printf(",\"limit\":[");
        print(moments(limit));
        printf("]");
        if (c.normals) {
            Points normals;
            std::vector<double> mixed(3);
            for (size_t v = 0; v < last.size(); ++v) {
                Point n = cross(tan1[v], tan2[v]);
                double length = std::sqrt(dot(n, n));
                for (int i = 0; i < 3; ++i) {
                    n.x[i] /= length;
                    mixed[i] += n.x[i] * limit[v].x[i];
                }
                normals.push_back(n);
            }
            std::vector<double> sums = moments(normals);
            sums.insert(sums.end(), mixed.begin(), mixed.end());
            printf(",\"normals\":[");
            print(sums);
            printf("]");
        }
    }
    printf("}");
    delete refiner;
}

int main() {
    printf("[\n");
    for (bool first = true;; first = false) {
        Case c;
        if (!c.read(std::cin)) break;
        if (!first) printf(",\n");
        table(c);
    }
    printf("\n]\n");
}
