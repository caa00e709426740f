// The factors of mathematical functions, highest power first. Made
// by tools/factors.py, which says how.
#ifndef DUET_KERNELS_LOOP_FACTORS_H
#define DUET_KERNELS_LOOP_FACTORS_H

#define LN2_HIGH 0x1.62e42ff000000p-1
#define LN2_LOW -0x1.718432a1b0e26p-35
#define INV_LN2_HIGH 0x1.71547652b82fep+0
#define INV_LN2_LOW 0x1.777d0ffda0d24p-56
#define LOG10_2_HIGH 0x1.3441350a00000p-2
#define LOG10_2_LOW -0x1.0c0219dc1da99p-39
#define LOG10_E_HIGH 0x1.bcb7b1526e50ep-2
#define LOG10_E_LOW 0x1.95355baaafad3p-57
#define PI_HIGH 0x1.921fb54442d18p+1
#define PI_LOW 0x1.1a62633145c07p-53
#define TWO_THIRDS_HIGH 0x1.5555555555555p-1
#define TWO_THIRDS_LOW 0x1.5555555555555p-55
#define SQRT_HALF_HIGH 0x1.6a09e667f3bcdp-1
#define SQRT_HALF_LOW -0x1.bdd3413b26456p-55
#define SQRT_HALF_32_HIGH 0x1.6a09e60000000p-1
#define SQRT_HALF_32_LOW 0x1.9fcef32422cbfp-27
static const double half_pi_64[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                    -0x1.f1976b7ed8fbcp-110};
static const double half_pi_32[] = {0x1.921fb60p+0, -0x1.777a5c0p-25,
                                    -0x1.ee59da0p-50};
// exp: within 2^-63.5
static const double exp_64[] = {
    0x1.1ed9d5c6d2699p-29, 0x1.af6e9a29a09b0p-26, 0x1.27e540af1f60ep-22,
    0x1.71ddee6798f7dp-19, 0x1.a01a0176e85cep-16, 0x1.a01a01b447ac6p-13,
    0x1.6c16c16c1faaep-10, 0x1.111111110e9f7p-7,  0x1.5555555555541p-5,
    0x1.555555555555cp-3,  0x1.0000000000000p-1};
// exp: within 2^-39.4
static const double exp_rough[] = {0x1.9d5ca441142c0p-16, 0x1.a187b71820101p-13,
                                   0x1.6c1a00561f489p-10, 0x1.1110a0b33b836p-7,
                                   0x1.555553625d308p-5,  0x1.5555557ef642cp-3,
                                   0x1.00000000a4be4p-1};
// log: within 2^-73.2
static const double log_64[] = {0x1.eb7e3f7d17bbdp-4, 0x1.de25389d2da68p-4,
                                0x1.112117e6e98e1p-3, 0x1.3b135fe084404p-3,
                                0x1.745d183e4e87ap-3, 0x1.c71c71c563a8ep-3,
                                0x1.2492492493153p-2, 0x1.9999999999995p-2};
// log: within 2^-44.2
static const double log_rough[] = {0x1.8edfe1aa31df2p-3, 0x1.c6567c4e59f13p-3,
                                   0x1.24937ba5029cdp-2, 0x1.99999852faee1p-2};
// sine: within 2^-62.9
static const double sine_64[] = {-0x1.a517477a45305p-41, 0x1.61141639cfa34p-33,
                                 -0x1.ae643c5f6e0fdp-26, 0x1.71de3a3f6cd43p-19,
                                 -0x1.a01a01a0065e3p-13, 0x1.1111111111089p-7,
                                 -0x1.5555555555555p-3};
// sine: within 2^-32.3
static const double sine_32[] = {0x1.7867f40p-19, -0x1.a04a7c0p-13,
                                 0x1.1111660p-7, -0x1.5555560p-3};
// cosine: within 2^-68.7
static const double cosine_64[] = {
    0x1.a165ea1dc8404p-45,  -0x1.937c70d98c48ep-37, 0x1.1eed7662284dbp-29,
    -0x1.27e4fb5fc206ep-22, 0x1.a01a01a001222p-16,  -0x1.6c16c16c16b45p-10,
    0x1.5555555555555p-5};
// cosine: within 2^-36.9
static const double cosine_32[] = {-0x1.33c0ec0p-22, 0x1.a067f60p-16,
                                   -0x1.6c17540p-10, 0x1.5555560p-5};
// atan: within 2^-63.7
static const double atan_64[] = {
    0x1.e5aca6ab54a25p-7,  -0x1.0f2e972534575p-5, 0x1.6f9cfb8de6acap-5,
    -0x1.ab2a3fc6a3fe9p-5, 0x1.e164ff464fd4ap-5,  -0x1.110bc838d78e3p-4,
    0x1.3b13629dd0b71p-4,  -0x1.745d14374258ep-4, 0x1.c71c71b3b6461p-4,
    -0x1.249249246e3f3p-3, 0x1.999999999956cp-3,  -0x1.5555555555554p-2};
// atan: within 2^-39.8
static const double atan_rough[] = {-0x1.31bbba0c54007p-5, 0x1.1cf7fcddb423dp-4,
                                    -0x1.70348c3468a86p-4, 0x1.c6c983280e200p-4,
                                    -0x1.249088a40d68ep-3, 0x1.9999908744599p-3,
                                    -0x1.5555554d4f297p-2};
// sinh: within 2^-61.5
static const double sinh_64[] = {0x1.b52e61175a1d4p-41, 0x1.6118e07ffded2p-33,
                                 0x1.ae646b4b21f1bp-26, 0x1.71de3a4058655p-19,
                                 0x1.a01a01a0318c3p-13, 0x1.1111111111040p-7,
                                 0x1.5555555555556p-3};
// sinh: within 2^-34.0
static const double sinh_rough[] = {0x1.7a2c6d6694930p-19,
                                    0x1.9ffde0cd83adap-13, 0x1.111136a2cb9c9p-7,
                                    0x1.55555516a721dp-3};
// tanh: within 2^-61.3
static const double tanh_64[] = {
    0x1.965317ea3e3ccp-18,  -0x1.faf27685c3749p-16, 0x1.8026db735434cp-14,
    -0x1.f11691e05e8b0p-13, 0x1.350bd39b37ef4p-11,  -0x1.7d9c3c1ef6b05p-10,
    0x1.d6d35aedd5d69p-9,   -0x1.226e32d42a670p-7,  0x1.664f4870e6e8dp-6,
    -0x1.ba1ba1b9d22d9p-5,  0x1.1111111110c5ap-3,   -0x1.5555555555552p-2};
// tanh: within 2^-27.7
static const double tanh_32[] = {-0x1.75a9900p-8, 0x1.5217440p-6,
                                 -0x1.b8395e0p-5, 0x1.1107080p-3,
                                 -0x1.5555320p-2};
// erf: within 2^-56.2
static const double erf_64[] = {
    0x1.f7ad0efe4f5c1p-34,  -0x1.cac4b8d879f5cp-31, 0x1.7ed177845bfe3p-29,
    -0x1.b82b72cf8479bp-28, 0x1.6ee557333a484p-26,  -0x1.6bc2ead8c63acp-23,
    0x1.badad5e2afd0cp-20,  -0x1.f4dfd52b97d29p-17, 0x1.f9a3adb9d9255p-14,
    -0x1.c02db7a6c13c3p-11, 0x1.565bcd1f53f66p-8,   -0x1.b82ce312eb273p-6,
    0x1.ce2f21a04402ap-4,   -0x1.812746b037a06p-2,  0x1.06eba8214db69p-3};
// erf: within 2^-29.9
static const double erf_32[] = {
    -0x1.1fd45c0p-17, 0x1.c773480p-14, -0x1.b99eb60p-11, 0x1.55dcc60p-8,
    -0x1.b821e60p-6,  0x1.ce2ea00p-4,  -0x1.8127440p-2,  0x1.06eba80p-3};
// tail: within 2^-54.3
static const double tail_64[] = {
    -0x1.074bc3f3de579p-30, -0x1.d756e173c26d2p-29, 0x1.4c47195ecc3c5p-34,
    0x1.7ce2660218dfdp-27,  -0x1.2eec152a7f06dp-28, -0x1.d4720209b71b8p-26,
    0x1.91cc96b689911p-24,  0x1.4e89d7b5afd31p-24,  -0x1.b36547c6cca4cp-21,
    0x1.3d25c5732d7f7p-22,  0x1.7ea91349a767ep-18,  -0x1.789f0540e1a4bp-17,
    -0x1.994eb04cb6b34p-16, 0x1.3be0f5c8406aap-13,  -0x1.a1df6dd76e7b0p-13,
    -0x1.8d4aa5d99751bp-11, 0x1.49c672d4ae650p-8,   -0x1.09623875e3737p-6,
    0x1.3079edf5b5419p-5,   -0x1.0fb06dfea5809p-4,  0x1.7fee004e16f2cp-4,
    -0x1.9ddb23c3e43e3p-4,  0x1.16ecefcfa520cp-4,   0x1.f7f5df66fc8fdp-7,
    -0x1.1df1ad154a28dp-3,  0x1.3ba5916e9fd7fp+0};
// tail: within 2^-24.8
static const double tail_32[] = {
    0x1.d612c80p-11, 0x1.ce52bc0p-8,  -0x1.042b960p-6, 0x1.2a2a6c0p-5,
    -0x1.11079e0p-4, 0x1.804bfa0p-4,  -0x1.9da2260p-4, 0x1.16e9460p-4,
    0x1.f7dd8e0p-7,  -0x1.1df1a80p-3, 0x1.3ba5920p+0};

#endif
