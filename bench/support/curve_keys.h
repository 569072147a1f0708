#pragma once
// Keys of CURVE that both ends of a measurement know: those of zmq_curve(7), in Z85.

#include <string_view>

namespace bench {

inline constexpr std::string_view curve_server_public = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
inline constexpr std::string_view curve_server_secret = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6";
inline constexpr std::string_view curve_client_public = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";
inline constexpr std::string_view curve_client_secret = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs";

}  // namespace bench
